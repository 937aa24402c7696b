// Package mysql is MySQL.
package mysql

import (
	"txweave/dbms"
	"txweave/dbms/innodb"
)

// Levels are MySQL's levels.
func Levels() []*dbms.Profile { return innodb.Levels("mysql") }
