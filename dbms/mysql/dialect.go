package mysql

import (
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
	return &d
}()
