package mysqlwire_test

import (
	"txweave/dbms/mariadb"
	"txweave/dbms/mysqlwire"
	_ "txweave/dbms/registry"
	"txweave/dbms/tidb"
)

// The package's own tests cannot import the databases, which import the package; they are given them here.
func init() { mysqlwire.TestServer, mysqlwire.TestTiDB = mariadb.Server, tidb.Server }
