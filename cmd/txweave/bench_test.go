package main

import (
	"io"
	"testing"

	"txweave/campaign/casesource"
	"txweave/dbms"
	"txweave/dbms/mariadb"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/weave"
)

// BenchmarkCheckSQLite measures one case from generation to verdict on the embedded engine.
func BenchmarkCheckSQLite(b *testing.B) {
	t, err := sqlite.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	benchmarkCheck(b, t, "sqlite", "")
}

// BenchmarkCheckMariaDB measures the same on a private server.
func BenchmarkCheckMariaDB(b *testing.B) {
	for _, level := range []string{"repeatable-read", "serializable"} {
		b.Run(level, func(b *testing.B) {
			l, err := exec.NewLauncher(b.Context(), mariadb.Server, "", io.Discard)
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			t, err := l.Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			defer t.Close()
			benchmarkCheck(b, t, "mariadb", level)
		})
	}
}

func benchmarkCheck(b *testing.B, t exec.Target, name, level string) {
	p, err := dbms.Lookup(name, level)
	if err != nil {
		b.Fatal(err)
	}
	src, err := casesource.NewCases(1, p)
	if err != nil {
		b.Fatal(err)
	}
	r, err := exec.NewRunner(b.Context(), t, p, exec.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	n := 0
	for b.Loop() {
		c, err := src.Make(n)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := weave.Check(r, c, p, weave.Options{}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Minutes(), "cases/min")
	b.ReportMetric(float64(r.Statements)/(b.Elapsed()-r.LockWait).Seconds(), "stmts/s")
}
