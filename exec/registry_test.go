package exec_test

import (
	"txweave/dbms/registry"
	"txweave/exec"
)

// The package's own tests cannot import the DBMSs, which import the package; they are given them here.
func init() {
	for _, name := range registry.Names() {
		d, err := registry.Lookup(name)
		if err != nil {
			panic(err)
		}
		exec.TestServers[name] = d.Server
		if d.Embedded != nil {
			exec.TestOpen[name] = d.Embedded.Open
		}
	}
}
