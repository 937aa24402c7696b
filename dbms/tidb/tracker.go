package tidb

import "txweave/report"

// Tracker is TiDB's issue template; its headings must stay as they are.
var Tracker = &report.Tracker{
	Name: "tidb", Title: "Title: ", Markup: report.Markdown,
	Private: "Write to security@pingcap.com instead of opening an issue.",
	Sections: []report.Section{
		{Heading: "## Bug Report", Write: report.Summary},
		{Heading: "### 1. Minimal reproduce step (Required)", Write: report.Script},
		{Heading: "### 2. What did you expect to see? (Required)", Write: report.Compare},
		{Heading: "### 3. What did you see instead (Required)", Write: func(d *report.Doc) {
			d.Text("The column \"actual\" above, or the answers in the script.")
		}},
		{Heading: "### 4. What is your TiDB version? (Required)", Write: func(d *report.Doc) {
			report.Version(d)
			report.Platform(d)
			report.Details(d)
		}},
	},
}
