package postgresql

import "txweave/report"

// Tracker is pgsql-bugs@lists.postgresql.org: mail in plain text.
var Tracker = &report.Tracker{
	Name: "postgresql", Title: "Subject: ", Scripts: []string{"isolation-spec", "annotated"}, Markup: report.Plain,
	Private: "Write to security@postgresql.org instead of the list.",
	Sections: []report.Section{
		{Heading: "PostgreSQL version", Write: report.Version}, {Heading: "Operating system", Write: report.Platform},
		{Heading: "Description", Write: report.Description},
		{Heading: "What happened", Write: report.Transcript},
		{Heading: "What should have happened", Write: report.Expected},
		{Heading: "Why this is wrong", Write: report.Why},
		{Heading: "Steps", Write: report.Script},
		{Heading: "Settings", Write: report.Settings},
		{Heading: "How often, and when", Write: report.Rate},
	},
}
