package sqlite

import "txweave/report"

// Tracker is sqlite.org/forum: Markdown.
var Tracker = &report.Tracker{
	Name: "sqlite", Title: "Title: ", Markup: report.Markdown,
	Private: "Write to drh@sqlite.org instead of the forum.",
	Sections: []report.Section{
		{Write: func(d *report.Doc) { report.Summary(d); report.Script(d); report.Compare(d); report.Version(d) }},
		{Write: func(d *report.Doc) { report.Details(d); report.Platform(d) }},
	},
}
