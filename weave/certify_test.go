package weave_test

import (
	"bytes"
	"errors"
	"testing"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/dbms/sqlite"
	"txweave/gen"
	"txweave/internal/testkit/effort"
	"txweave/weave"
)

// TestCertify generates cases, certifies a run of each at a level of SQLite and of MariaDB, and judges it by its file.
func TestCertify(t *testing.T) {
	engine, err := sqlite.NewEvaluator()
	if err != nil {
		t.Fatal(err)
	}
	in := certificate.NewInterpreter(engine)
	defer in.Close()
	for name, n := range map[string]int{"sqlite/serializable": effort.Cases(60), "mariadb/serializable": effort.Cases(30),
		"mariadb/snapshot": effort.Cases(30)} {
		t.Run(name, func(t *testing.T) {
			p := lookup(t, name)
			r := newRunner(t, p)
			d, err := registry.Lookup(p.DBMS)
			if err != nil {
				t.Fatal(err)
			}
			judged, level := 0, dbms.SI
			if p.Serializable {
				level = dbms.SER
			}
			for i := range n {
				c, err := gen.Generate(gen.CaseSeed(5, i), d.Dialect, gen.Options{Isolation: p.Isolation})
				if err != nil {
					t.Fatal(err)
				}
				h, cert, err := weave.Certify(r, c, p)
				var refused *weave.UnjudgeableError
				if errors.As(err, &refused) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				var file bytes.Buffer
				if err := certificate.Write(&file, h, cert); err != nil {
					t.Fatal(err)
				}
				read, err := certificate.Read(&file, h)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range []checker.Verdict{certificate.Check(t.Context(), h, read, level, checker.Options{}, in),
					certificate.Replay(t.Context(), h, read, level, checker.Options{}, in)} {
					if v.Outcome != checker.Valid {
						t.Errorf("case %d: %v", i, v)
					}
				}
				judged++
			}
			t.Logf("%d of %d judged", judged, n)
			if judged < n/2 {
				t.Errorf("only %d of %d runs could be judged", judged, n)
			}
		})
	}
}
