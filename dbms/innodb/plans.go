package innodb

import (
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/sql"
	"txweave/sql/respell"
)

// NoIndexes is the plan setting that keeps the optimizer from every secondary index, by the word that an ALTER TABLE
// has for that. An index that is there in place of a primary key cannot be passed over, and is not.
func NoIndexes(word string) dbms.PlanSetting {
	return dbms.PlanSetting{Name: "no-indexes",
		Each: fmt.Sprintf("SELECT DISTINCT CONCAT('ALTER TABLE `', TABLE_NAME, '` ALTER INDEX `', INDEX_NAME, '` %s') "+
			"FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME <> 'PRIMARY'", word)}
}

// Prepared is the plan setting that has every statement prepared.
var Prepared = dbms.PlanSetting{Name: "prepared", Prepared: true, InText: prepare}

// PreparedAsText is the plan setting that has every statement prepared by one of its own.
var PreparedAsText = dbms.PlanSetting{Name: "prepared-as-text", Prepared: true, AsText: prepare,
	Covers: []string{"prepared stmt (sql)"}}

// prepare is how a statement is prepared and executed under a name (dev.mysql.com/doc, PREPARE Statement).
func prepare(name, sql string) (prepare, execute string) {
	return "PREPARE " + name + " FROM '" + quoted.Replace(sql) + "'", "EXECUTE " + name
}

// quoted writes a text between single quotes.
var quoted = strings.NewReplacer(`\`, `\\`, "'", "''")

// Parameters is the plan setting that has values beside the statements, over the client's protocol.
func Parameters(d *sql.Dialect) dbms.PlanSetting {
	return dbms.PlanSetting{Name: "parameters", Prepared: true, Parameters: &dbms.Parameters{Mark: func(int) string {
		return "?"
	}, Typed: true}, Dialect: d, InText: prepare}
}

// Impatient is the setting under which a statement that would wait for a lock fails, as soon as the server lets it:
// what it had done is undone, the rest of its transaction stays.
func Impatient(seconds int) dbms.PlanSetting {
	const variable = "SET SESSION innodb_lock_wait_timeout = "
	return dbms.PlanSetting{Name: "impatient", Impatient: true, Set: []string{fmt.Sprint(variable, seconds)},
		Unset:  []string{variable + "10"},
		Covers: []string{"lock wait timeout"}}
}

// Purged is the setting under which InnoDB takes away, whenever a transaction has ended, what nobody can see any more:
// versions of rows, entries of indexes. MariaDB else does so about once a second, many cases later; MySQL, within 100
// ms, needs no such setting. It is what InnoDB does next when FLUSH TABLES … FOR EXPORT, which has it stop, is over.
var Purged = dbms.PlanSetting{Name: "purged", Between: []string{"FLUSH TABLES %s FOR EXPORT", "UNLOCK TABLES"},
	Covers: []string{"purge wait"}}

// Switched is a plan setting of switches of the optimizer: words such as "semijoin=off".
func Switched(name string, switches ...string) dbms.PlanSetting {
	return dbms.PlanSetting{Name: name, Set: []string{"SET SESSION optimizer_switch = '" + strings.Join(
		switches, ",") + "'"},
		Unset: []string{"SET SESSION optimizer_switch = DEFAULT"}}
}

// Copies is the plan setting by which queries read copies of the tables, put into temporary ones; unlisted
// are the columns that these have of themselves.
func Copies(d *sql.Dialect, unlisted ...string) dbms.PlanSetting {
	return dbms.PlanSetting{Name: "copies", Copies: &respell.Copies{Unlisted: unlisted}, Dialect: d,
		Set:   []string{"SET SESSION optimizer_switch = 'derived_merge=off'"},
		Unset: []string{"SET SESSION optimizer_switch = DEFAULT"}}
}
