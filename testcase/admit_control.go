package testcase

import (
	"errors"
	"fmt"
	"strings"

	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// truncates judges TRUNCATE TABLE, which commits the transaction that it is sent in, or takes from others' snapshots
// what they see.
func (a *admission) truncates(table string, alone bool) error {
	switch {
	case !alone:
		return errors.New("it ends the transaction, or empties the table for older snapshots, too: let it stand alone, in " +
			"autocommit")
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
func (a *admission) scratch(t control.Statement, x control.Scratch, alone bool) error {
	switch {
	case a.outside(x.Table):
		return fmt.Errorf("%s is no name that a table may have which comes and goes", x.Table)
	case !alone && a.commits(t):
		return errors.New("it ends the transaction: let it stand alone, in autocommit, or make the table TEMPORARY")
	}
	return nil
}

// outside says whether a name is none that a table may have which comes and goes.
func (a *admission) outside(name string) bool {
	return plainName(name) != nil || a.tables[name] || a.inside(name) || strings.HasPrefix(name, "txw_")
}

// inside says whether a table of that name is the database's own.
func (a *admission) inside(name string) bool {
	return a.x.Inside != "" && strings.HasPrefix(name, a.x.Inside)
}

// framed judges a statement of a transaction that is opened otherwise than by BEGIN.
func (a *admission) framed(s control.Statement) error {
	on, off := s.Ends(control.Switched), s.Opens() == control.Switched
	if a.x.Admission.Framed && (on || off || s.XAName() != "") {
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
	return a.definitionWords(s)
}

// tableLocks are the locks that a statement takes of whole tables.
func tableLocks(t control.Statement) (locks []control.TableLock, ok bool) {
	if locks, ok = t.TableLocks(); ok {
		return locks, ok
	}
	return t.ModeLocks()
}
