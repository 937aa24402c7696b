package mysql

import "txweave/report"

// Tracker is bugs.mysql.com: plain text under these headings.
var Tracker = &report.Tracker{
	Name: "mysql", Title: "Synopsis: ", Scripts: []string{"sql", "annotated"}, Markup: report.Plain,
	Private: "On bugs.mysql.com tick the box that makes the report private, or write to secalert_us@oracle.com.",
	Sections: []report.Section{
		{Heading: "Category", Write: func(d *report.Doc) { d.Text("MySQL Server: InnoDB storage engine") }},
		{Heading: "Severity", Write: func(d *report.Doc) { d.Text("%s", d.Severity()) }},
		{Heading: "Version", Write: report.Version}, {Heading: "OS", Write: report.Platform},
		{Heading: "Description", Write: report.Description},
		{Heading: "What happened", Write: report.Transcript},
		{Heading: "What should have happened", Write: report.Expected},
		{Heading: "Why this is wrong", Write: report.Why},
		{Heading: "How to repeat", Write: report.Script},
		{Heading: "Settings", Write: report.Settings},
		{Heading: "How often, and when", Write: report.Rate},
		{Heading: "Suggested fix", Write: func(d *report.Doc) { d.Text("None.") }},
	},
}
