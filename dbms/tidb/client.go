package tidb

import (
	"txweave/dbms/innodb"
	"txweave/exec"
)

// client is MySQL's; there is no SELECT … INTO.
func client() *exec.Client {
	c := innodb.Client("mysql")
	c.Reading, c.Locking = "SET @v = NULL; SELECT @v := v FROM t0 WHERE pkey = %s;",
		"SET @v = NULL; SELECT @v := v FROM t0 WHERE pkey = %s FOR UPDATE;"
	c.Kill = []string{"KILL TIDB QUERY $id;", "KILL TIDB $id;"}
	return c
}
