package mysql

import "txweave/report"

// Tracker is bugs.mysql.com: plain text under these headings.
var Tracker = &report.Tracker{
	Name: "mysql", Title: "Synopsis: ", Markup: report.Plain,
	Private: "On bugs.mysql.com tick the box that makes the report private, or write to secalert_us@oracle.com.",
	Sections: []report.Section{
		{Heading: "Category", Write: func(d *report.Doc) { d.Text("MySQL Server: InnoDB storage engine") }},
		{Heading: "Severity", Write: func(d *report.Doc) { d.Text("%s", d.Severity()) }},
		{Heading: "Version", Write: report.Version}, {Heading: "OS", Write: report.Platform},
		{Heading: "Description", Write: func(d *report.Doc) { report.Summary(d); report.Compare(d) }},
		{Heading: "How to repeat", Write: report.Script},
		{Heading: "Suggested fix", Write: func(d *report.Doc) { d.Text("None.") }},
		{Write: report.Details},
	},
}
