package tidb

import "txweave/exec"

// strains are what storms strain TiDB with. Changes of tables go on in the background, in steps, and wait for the transactions that know the step
// before (docs.pingcap.com, Metadata Lock).
var strains = exec.Strains{
	Redefine: []exec.Strain{
		alter("DROP INDEX {table}_v", "ADD INDEX {table}_v (v, vkey, pkey)"),
		alter("ADD INDEX {table}_n (vkey)", "DROP INDEX {table}_n"),
		alter("ALTER INDEX {table}_v INVISIBLE", "ALTER INDEX {table}_v VISIBLE"),
		alter("ADD COLUMN n INT DEFAULT 7", "DROP COLUMN n"),
		{Do: []string{"ANALYZE TABLE {table}"}},
		{Do: []string{"RENAME TABLE {table} TO n_{table}, n_{table} TO {table}"}},
		{Do: []string{"CREATE TABLE spare LIKE {table}", "INSERT INTO spare SELECT * FROM {table}", "TRUNCATE TABLE spare"}, Undo: []string{"DROP TABLE IF EXISTS spare"}},
	},
}

// alter changes a table and back.
func alter(there, back string) exec.Strain {
	return exec.Strain{Do: []string{"ALTER TABLE {table} " + there}, Undo: []string{"ALTER TABLE {table} " + back}}
}
