// Package madeup is a database that nobody has: an engine that is there, under another name, with a level, a dialect
// and a tracker of its own. It shows what a new database takes: a folder such as this one, and a line in the registry.
package madeup

import (
	"context"

	"txweave/dbms"
	"txweave/dbms/driver"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/gen"
	"txweave/report"
	"txweave/report/export"
)

const name = "madeup"

// Driver is all that is known of it.
var Driver = &driver.Driver{Name: name, Levels: []*dbms.Profile{level()}, Syntax: sqlite.Syntax, Dialect: dialect(),
	Embedded: &driver.Embedded{Open: open}, Export: &export.Spelling{DBMS: name, Shell: sqlite.Spelling.Shell},
	Tracker: &report.Tracker{Name: name, Title: "Title: ", Markup: report.Markdown,
		Sections: []report.Section{{Heading: "What happened", Write: report.Summary}, {Write: report.Script}}}}

// level is the one that it has: one transaction that writes at a time, and all of them in one order.
func level() *dbms.Profile {
	p := *sqlite.Levels()[0]
	p.DBMS, p.Isolation, p.Source = name, "one-writer", "this package"
	p.Variants = dbms.Variants{}
	return &p
}

// dialect is what it accepts: no triggers, no views, and one way to begin.
func dialect() *gen.Dialect {
	d := *sqlite.Dialect
	d.Name = name
	d.Has = map[gen.Capability]string{gen.CanCheck: "", gen.CanCompare: "", gen.CanUpsert: "", gen.CanReturn: ""}
	d.Begin = func(func(n int) int, string, bool) string { return "BEGIN" }
	return &d
}

// target is the engine, as who it says it is.
type target struct{ exec.Target }

func (t target) Describe() exec.Description {
	d := t.Target.Describe()
	d.Target = name
	return d
}

func open(ctx context.Context) (exec.Target, error) {
	t, err := sqlite.Open(ctx)
	return target{t}, err
}
