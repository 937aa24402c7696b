package exec

import (
	"fmt"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// shadowPrefix names the copies of the tables from which Reset refills them.
const shadowPrefix = "txw_"

// Copy is the name of the copy of a table from which Reset refills it, where the target keeps such copies.
func Copy(table string) string { return shadowPrefix + table }

// ResetScript refills the tables from their copies, in one transaction and one round trip.
func ResetScript(schema *sqltext.Schema, tables []string) string {
	var b strings.Builder
	b.WriteString("BEGIN;")
	for _, name := range tables {
		list, columns := "", "*"
		if t := schema.Table(name); t != nil && len(t.Stored()) < len(t.Columns) {
			columns = strings.Join(t.Stored(), ", ")
			list = " (" + columns + ")"
		}
		fmt.Fprintf(&b, "DELETE FROM %s;INSERT INTO %s%s SELECT %s FROM %s;", name, name, list, columns, Copy(name))
	}
	b.WriteString("COMMIT")
	return b.String()
}

// TriggerScripts are the script that drops the triggers of a case, before its rows are put back, and the one that makes
// them again. Each statement ends with a semicolon; both are empty where it has no triggers.
func TriggerScripts(x *sqltext.Syntax, c *testcase.Case) (drop, create string, err error) {
	for _, s := range c.Schema {
		stmt, _ := x.Tree.Parse(s.SQL)
		if t, ok := stmt.(*sql.CreateTrigger); ok {
			text, err := x.Tree.Print(&sql.Drop{What: "TRIGGER", IfExists: true, Names: []*sql.Object{t.Name}})
			if err != nil {
				return "", "", err
			}
			drop += text + ";"
			create += s.SQL + ";"
		}
	}
	return drop, create, nil
}
