package finding

import "testing"

// TestParseName reads the names that fuzz and campaigns give findings, and refuses others.
func TestParseName(t *testing.T) {
	for text, want := range map[string]Name{
		"finding-000012-0":                {Case: "000012", Number: "0"},
		"unconfirmed-mariadb-rr-7.1-12-3": {Unconfirmed: true, Cell: "mariadb-rr-7.1", Case: "12", Number: "3"},
		"suspect-mariadb-rr-7.1-12-3":     {Unconfirmed: true, Cell: "mariadb-rr-7.1", Case: "12", Number: "3"},
		"finding-seed7-000001-0":          {Cell: "seed7", Case: "000001", Number: "0"},
		"finding-1-2-3":                   {Cell: "1", Case: "2", Number: "3"},
		"finding":                         {},
		"finding-1":                       {},
		"finding--1-0":                    {},
		"finding-a-b-0":                   {},
		"finding-a-1-":                    {},
		"finding-A-1-0":                   {},
		"finding-../a-1-0":                {},
		"other-000012-0":                  {},
		"finding-000012-0.2":              {},
		"finding-000012-0/reduced":        {},
		"quarantine-finding-000012-0":     {},
		"finding-mariadb_rr-000001-000":   {},
	} {
		if got, ok := ParseName(text); ok != (want.Case != "") || ok && got != want {
			t.Errorf("ParseName(%q) = %+v, %t, want %+v", text, got, ok, want)
		}
	}
	for text, want := range map[string]bool{"B3": true, "b10": true, "B": false, "B0": false, "B03": false, "C3": false,
		"B3x": false} {
		if IsBugName(text) != want {
			t.Errorf("IsBugName(%q) = %t", text, !want)
		}
	}
}
