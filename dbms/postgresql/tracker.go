package postgresql

import "txweave/report"

// Tracker is pgsql-bugs@lists.postgresql.org: mail in plain text.
var Tracker = &report.Tracker{
	Name: "postgresql", Title: "Subject: ", Test: "isolation-spec", Markup: report.Plain,
	Private: "Write to security@postgresql.org instead of the list.",
	Sections: []report.Section{
		{Heading: "PostgreSQL version", Write: report.Version}, {Heading: "Operating system", Write: report.Platform},
		{Heading: "Description", Write: func(d *report.Doc) { report.Summary(d); report.Script(d); report.Compare(d) }},
		{Write: report.Details},
	},
}
