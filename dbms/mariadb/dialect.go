package mariadb

import (
	"maps"

	"txweave/dbms/innodb"
	"txweave/gen"
	"txweave/sqltext"
)

// Syntax is MySQL's, and comments for MariaDB alone are run.
var Syntax = &sqltext.Syntax{Quoting: sqltext.MySQL, Tree: tree, Grammar: innodb.Grammar(tree), Doubt: innodb.Doubt(tree), Remarks: []string{"/*T!"}, DropTemporary: innodb.DropTemporary}

// Dialect is the dialect of MariaDB 10.6 and later: MySQL's, and subqueries of UPDATE and DELETE may read the
// target.
//
// Left out besides mysql's: WITH in front of UPDATE and DELETE (not before
// 12.3), sequences.
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name = "mariadb"
	d.SelfSubquery = true
	d.Has = maps.Clone(d.Has)
	d.Has[gen.CanVersion] = ""
	d.Has[gen.CanReturn] = "10.5"
	d.Has[gen.CanWindow] = "11.8" // docs/findings/mariadb-window-in-subquery-of-write.md
	d.Has[gen.CanSkipLocked] = "10.6"
	// A table that is emptied is another one: what took its rows away is no write that innodb_snapshot_isolation knows of.
	d.Levels = map[gen.Capability][]string{gen.CanTruncate: d.OwnLevels}
	d.OwnLevels = append(d.OwnLevels[:len(d.OwnLevels):len(d.OwnLevels)], "snapshot")
	d.GroupExtrema = gen.AllFamilies
	d.DerivedSetOps = d.SetOps
	return &d
}()
