package tidb

import "txweave/report"

// Tracker is TiDB's issue template; its headings must stay as they are.
var Tracker = &report.Tracker{
	Name: "tidb", Title: "Title: ", Scripts: []string{"annotated"}, Markup: report.Markdown,
	Private: "Write to security@pingcap.com instead of opening an issue.",
	Sections: []report.Section{
		{Heading: "## Bug Report", Write: report.Description},
		{Heading: "### 1. Minimal reproduce step (Required)", Write: func(d *report.Doc) { report.Script(d); report.Rate(d) }},
		{Heading: "### 2. What did you expect to see? (Required)", Write: func(d *report.Doc) { report.Expected(d); report.Why(d) }},
		{Heading: "### 3. What did you see instead (Required)", Write: report.Transcript},
		{Heading: "### 4. What is your TiDB version? (Required)", Write: func(d *report.Doc) { report.Version(d); report.Platform(d); report.Settings(d) }},
	},
}
