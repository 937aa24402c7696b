package dbms

// mysqlProfiles are MySQL's levels.
func mysqlProfiles() []*Profile { return innodbLevels("mysql") }
