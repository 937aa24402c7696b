package sqlite

import "txweave/report"

// Tracker is sqlite.org/forum: Markdown.
var Tracker = &report.Tracker{
	Name: "sqlite", Title: "Title: ", Scripts: []string{"sql", "annotated"}, Markup: report.Markdown,
	Private: "Write to drh@sqlite.org instead of the forum.",
	Sections: []report.Section{
		{Heading: "## Description", Write: report.Description},
		{Heading: "## What happened", Write: report.Transcript},
		{Heading: "## What should have happened", Write: report.Expected},
		{Heading: "## Why this is wrong", Write: report.Why},
		{Heading: "## Scripts, one for each connection", Write: report.Script},
		{Heading: "## Version and settings", Write: func(d *report.Doc) { report.Version(d); report.Platform(d); report.Settings(d) }},
		{Heading: "## How often, and when", Write: report.Rate},
	},
}
