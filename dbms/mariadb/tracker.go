package mariadb

import "txweave/report"

// Tracker is jira.mariadb.org: affected versions and environment are fields of their own.
var Tracker = &report.Tracker{
	Name: "mariadb", Title: "Summary: ", Test: "mtr", Markup: report.Jira,
	Private: "In MariaDB's Jira set the security level, or write to security@mariadb.org.",
	Sections: []report.Section{
		{Heading: "Affects Version/s", Write: report.Version}, {Heading: "Environment", Write: report.Platform},
		{Heading: "Description", Write: func(d *report.Doc) { report.Summary(d); report.Script(d); report.Compare(d) }},
		{Write: report.Details},
	},
}
