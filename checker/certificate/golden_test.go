package certificate_test

import (
	"fmt"
	"strings"
	"testing"

	"txweave/dbms"

	"github.com/cockroachdb/datadriven"

	"txweave/checker"
	"txweave/checker/certificate"
	"txweave/dbms/sqlite"
	"txweave/history/register"
	"txweave/internal/testkit/notation"
)

// TestGolden runs the histories under testdata with their certificates, which stand after them without their header
// where that says nothing, one file for each anomaly or precondition, rejecting ones beside accepting twins.
// "order-ser" and "order-si" are the replay in the order of commits.
func TestGolden(t *testing.T) {
	engine, err := sqlite.NewEvaluator()
	if err != nil {
		t.Fatal(err)
	}
	in := certificate.NewInterpreter(engine)
	defer in.Close()
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h, c, err := parse(d.Input)
			if err != nil {
				return err.Error() + "\n"
			}
			var b strings.Builder
			opt := checker.Options{SessionOrder: true}
			for _, a := range d.CmdArgs {
				if level, order := strings.CutPrefix(a.Key, "order-"); order {
					fmt.Fprintln(&b, "order:", certificate.Replay(t.Context(), h, c, dbms.Level(level), opt, in))
				} else {
					fmt.Fprintln(&b, certificate.Check(t.Context(), h, c, dbms.Level(a.Key), opt, in))
				}
			}
			return b.String()
		})
	})
}

// parse reads a history and the lines of its certificate. The certificate goes through its file and back.
func parse(text string) (*register.History, *certificate.Certificate, error) {
	var hist, cert strings.Builder
	if !strings.Contains(text, `{"format"`) {
		cert.WriteString("{\"format\":\"txweave-certificate\",\"version\":1}\n")
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			cert.WriteString(line)
		} else {
			hist.WriteString(line)
		}
	}
	h, err := notation.Parse(hist.String())
	if err != nil {
		return nil, nil, err
	}
	c, err := certificate.Read(strings.NewReader(cert.String()), h)
	if err != nil {
		return nil, nil, err
	}
	var again strings.Builder
	if err := certificate.Write(&again, h, c); err != nil {
		return nil, nil, err
	}
	c, err = certificate.Read(strings.NewReader(again.String()), h)
	return h, c, err
}
