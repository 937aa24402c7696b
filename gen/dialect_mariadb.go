package gen

// mariadb is the dialect of MariaDB 10.6 and later: MySQL's, and subqueries of UPDATE and DELETE may read the
// target.
//
// Left out besides mysql's: RETURNING (the parser rejects it), WITH in front of UPDATE and DELETE (not before
// 12.3), sequences and system-versioned tables.
var mariadb = func() *Dialect {
	d := *mysql
	d.Name = "mariadb"
	d.SelfSubquery = true
	d.GroupExtrema = allFamilies
	d.DerivedSetOps = d.SetOps
	return &d
}()
