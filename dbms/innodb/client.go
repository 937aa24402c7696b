package innodb

import "txweave/exec"

// Client is how MySQL's client is talked to, and MariaDB's, which has another name.
func Client(name string) *exec.Client {
	return &exec.Client{Name: name, Command: name + " --unbuffered --skip-column-names",
		Stubborn: name + " --force --unbuffered --skip-column-names",
		Recreate: []string{"DROP DATABASE IF EXISTS $d;", "CREATE DATABASE $d;"}, Into: `"$d"`, Engine: " ENGINE=InnoDB",
		ByIndex: "FORCE INDEX (t0_v) WHERE v > -1000000000",
		Reading: "SET @v = NULL; SELECT v INTO @v FROM t0 WHERE pkey = %s;",
		Locking: "SET @v = NULL; SELECT v INTO @v FROM t0 WHERE pkey = %s FOR UPDATE;", Kept: "@v",
		Victim: "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = '$d' AND ID <> CONNECTION_ID() ORDER BY RAND() " +
			"LIMIT 1;",
		Kill: []string{"KILL QUERY $id;", "KILL CONNECTION $id;"}}
}
