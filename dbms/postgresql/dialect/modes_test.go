package dialect_test

import (
	"testing"

	postgresql "txweave/dbms/postgresql/dialect"
)

// TestServersDifferInWhatTheyRead: what is a text where standard_conforming_strings is off, and a number from version
// 16 on.
func TestServersDifferInWhatTheyRead(t *testing.T) {
	o := ask(t, "")
	for text, want := range map[string][3]bool{ // version 15, without standard_conforming_strings, version 18
		`SELECT 'a\'`:                 {true, false, true},
		`SELECT 'a\'b'`:               {false, true, false},
		`SELECT E'a\'b', $$\$$`:       {true, true, true},
		"SELECT 0x1F, 1_000":          {false, false, true},
		"SELECT 0o17, 0b1":            {false, false, true},
		"SELECT a SYSTEM_USER":        {true, true, true},
		"SELECT 1 FROM t SYSTEM_USER": {true, true, false},
	} {
		for i, s := range []postgresql.Server{{Version: 15}, {Version: 15, Escapes: true}, {Version: 18}} {
			if _, err := postgresql.New(s).Parse(text); (err == nil) != want[i] {
				t.Errorf("%s, %+v: %v", text, s, err)
			}
			if s.Version > 15 {
				continue
			}
			conforming := "SET standard_conforming_strings = on"
			if s.Escapes {
				conforming = "SET standard_conforming_strings = off"
			}
			if _, err := o.run(conforming); err != nil {
				t.Fatal(err)
			}
			if o.takes(text) != want[i] {
				t.Errorf("%s, %+v: the server reads it: %v", text, s, !want[i])
			}
		}
	}
}
