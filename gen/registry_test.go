package gen_test

import (
	"txweave/dbms/registry"
	"txweave/gen"
)

// The package's own tests cannot import the DBMSs, which import the package; they are given their dialects here.
func init() {
	for _, name := range registry.Names() {
		d, err := registry.Lookup(name)
		if err != nil {
			panic(err)
		}
		gen.TestDialects = append(gen.TestDialects, d.Dialect)
	}
}
