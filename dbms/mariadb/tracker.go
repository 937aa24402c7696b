package mariadb

import "txweave/report"

// Tracker is jira.mariadb.org: affected versions and environment are fields of their own.
var Tracker = &report.Tracker{
	Name: "mariadb", Title: "Summary: ", Scripts: []string{"mtr", "annotated"}, Markup: report.Jira,
	Private: "In MariaDB's Jira set the security level, or write to security@mariadb.org.",
	Sections: []report.Section{
		{Heading: "Affects Version/s", Write: report.Version}, {Heading: "Environment", Write: report.Platform},
		{Heading: "Description", Write: report.Description},
		{Heading: "What happened", Write: report.Transcript},
		{Heading: "What should have happened", Write: report.Expected},
		{Heading: "Why this is wrong", Write: report.Why},
		{Heading: "Test", Write: report.Script},
		{Heading: "Settings", Write: report.Settings},
		{Heading: "How often, and when", Write: report.Rate},
	},
}
