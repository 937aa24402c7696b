package mysql

import (
	"txweave/dbms/innodb"
	"txweave/gen"
)

// Dialect is MySQL's: what the others of its family begin with.
var Dialect = func() *gen.Dialect {
	d := *innodb.Dialect
	d.Name = "mysql"
	return &d
}()
