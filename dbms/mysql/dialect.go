package mysql

import (
	"maps"

	"txweave/dbms/innodb"
	"txweave/gen"
	"txweave/sqltext"
)

// Syntax is MySQL's.
var Syntax = &sqltext.Syntax{Quoting: sqltext.MySQL, Grammar: innodb.Grammar, Remarks: []string{"/*M!", "/*T!"}}

// Dialect is MySQL's: what the others of its family begin with.
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name = "mysql"
	d.LockWaits = []string{"FOR UPDATE", "FOR SHARE"}
	d.Has = maps.Clone(d.Has)
	for _, c := range []gen.Capability{gen.CanNotWait, gen.CanSkipLocked, gen.CanLockOf} {
		d.Has[c] = "8.0"
	}
	d.Has[gen.CanFunctional] = "8.0.13"
	return &d
}()
