package testcase

import (
	"errors"
	"fmt"
	"strings"

	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// truncates judges TRUNCATE TABLE, which commits the transaction that it is sent in, or is not safe under snapshots
// (postgresql.org/docs, TRUNCATE: it is not MVCC-safe).
func (a *admission) truncates(table string, alone bool) error {
	switch {
	case a.quoting != sqltext.MySQL && a.quoting != sqltext.PostgreSQL:
		return errors.New("TRUNCATE TABLE is read in cases of MySQL's family and of PostgreSQL only")
	case !alone && a.quoting == sqltext.MySQL:
		return errors.New("it ends the transaction: let it stand alone, in autocommit")
	case !alone:
		return errors.New("it empties the table for those, too, whose snapshot is older: let it stand alone, in autocommit")
	case !a.tables[table]:
		return fmt.Errorf("it empties table %s, which the schema does not create", table)
	}
	return nil
}

// locks judges LOCK TABLES, and LOCK TABLE.
func (a *admission) locks(locks []control.TableLock) error {
	for _, l := range locks {
		if !a.tables[l.Table] {
			return fmt.Errorf("it locks table %s, which the schema does not create", l.Table)
		}
	}
	return nil
}

// scratch judges a query whose answer goes through a table of its own.
func (a *admission) scratch(x control.Scratch, alone bool) error {
	switch {
	case a.outside(x.Table):
		return fmt.Errorf("%s is no name that a table may have which comes and goes", x.Table)
	case !x.Temporary && !alone && a.quoting == sqltext.MySQL:
		return errors.New("it ends the transaction: let it stand alone, in autocommit, or make the table TEMPORARY")
	}
	return nil
}

// outside says whether a name is none that a table may have which comes and goes.
func (a *admission) outside(name string) bool {
	return plainName(name) != nil || a.tables[name] || strings.HasPrefix(name, "sqlite_") ||
		strings.HasPrefix(name, "txw_")
}

// framed judges a statement of a transaction that is opened otherwise than by BEGIN: MySQL's family has such.
func (a *admission) framed(s control.Statement) error {
	on, off := s.Ends(control.Switched), s.Opens() == control.Switched
	if a.quoting == sqltext.MySQL && (on || off || s.XAName() != "") {
		return nil
	}
	return target(s)
}

// redefines judges a statement of a transaction that changes how a table is kept.
func (a *admission) redefines(s sqltext.Statement, d control.Redefinition) error {
	if d.Table != "" && !a.tables[d.Table] {
		return fmt.Errorf("it redefines table %s, which the schema does not create", d.Table)
	}
	for _, name := range []string{d.Through, d.Makes, d.Drops} {
		if a.outside(name) {
			return fmt.Errorf("%s is no name that a table may have which comes and goes", name)
		}
	}
	return definitionWords(s, false)
}

// tableLocks are the locks that a statement takes of whole tables, in a transaction of the database.
func (a *admission) tableLocks(t control.Statement) (locks []control.TableLock, ok bool) {
	switch a.quoting {
	case sqltext.MySQL:
		return t.TableLocks()
	case sqltext.PostgreSQL:
		return t.ModeLocks()
	}
	return nil, false
}
