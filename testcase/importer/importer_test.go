package importer

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/testcase"
)

// TestGolden reads each text under testdata/ and prints the case and the notes, or the error. A case must read
// back as it was printed.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			o := Options{Target: "mariadb", Default: "repeatable-read"}
			if d.HasArg("target") {
				d.ScanArgs(t, "target", &o.Target)
			}
			if d.HasArg("isolation") {
				d.ScanArgs(t, "isolation", &o.Isolation)
			}
			c, notes, err := Read("report.sql", []byte(d.Input), o)
			if err != nil {
				return err.Error() + "\n"
			}
			text := string(c.Print())
			again, err := testcase.Parse("case.txw", []byte(text))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got := string(again.Print()); got != text {
				t.Fatalf("read back as\n%s\nnot as\n%s", got, text)
			}
			for _, n := range notes {
				text += "note: " + n + "\n"
			}
			return strings.ReplaceAll(text, "\n\n", "\n")
		})
	})
}

// FuzzRead looks for texts that make the importer panic or give a case that is none.
func FuzzRead(f *testing.F) {
	f.Add("create table t (a int);\nT0> begin; T1> select 1; --- 1 T0> commit;\nno transaction\nselect 1;")
	f.Add("/* init */ create table t (a int);\n/* t1 */ begin;\n/* t1 */ commit;")
	f.Add("CREATE TABLE t (a INT)\nREAD COMMITTED\nBEGIN\nCOMMIT\nSERIALIZABLE\nBEGIN\nCOMMIT\n1-1-2-2\nEND")
	f.Add("begin; -- T1\nselect '; -- T2\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := Read("x", []byte(text), Options{Target: "sqlite", Default: "serializable"})
		if err != nil {
			return
		}
		if _, err := testcase.Parse("x", c.Print()); err != nil {
			t.Fatalf("%q became a case that does not read back: %v\n%s", text, err, c.Print())
		}
	})
}
