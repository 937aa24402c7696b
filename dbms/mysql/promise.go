// Package mysql is MySQL.
package mysql

import (
	"txweave/dbms"
	"txweave/dbms/innodb"
)

// Levels are MySQL's levels.
func Levels() []*dbms.Profile {
	all := innodb.Levels("mysql")
	for _, p := range all {
		p.LateRefusal = true
	}
	return all
}
