package target

import "testing"

func TestCommandLine(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"/x/txweave", "fuzz", "--cases", "5"}, "txweave fuzz --cases 5"},
		{[]string{"txweave", "fuzz", "--dsn", "u:p@w'd@tcp(127.0.0.1:3306)/"},
			"txweave fuzz --dsn 'u:***@tcp(127.0.0.1:3306)/'"},
		{[]string{"txweave", "fuzz", "--dsn=u:p@unix(/s)/", "--out", "a b"},
			"txweave fuzz '--dsn=u:***@unix(/s)/' --out 'a b'"},
		{[]string{"txweave", "fuzz", "--dsn", "secret"}, "txweave fuzz --dsn '***'"},
		{[]string{"txweave", "fuzz", "--dsn", "u@tcp(h:1)/"}, "txweave fuzz --dsn 'u@tcp(h:1)/'"},
		{[]string{"txweave", "fuzz", "--dsn", "env"}, "txweave fuzz --dsn env"},
		{[]string{"txweave", "fuzz", "--dsn", "@file"}, "txweave fuzz --dsn @file"},
		{[]string{"txweave", "verify", "--store", "postgres://u:p@h/d"}, "txweave verify --store 'postgres://u:***@h/d'"},
		{[]string{"txweave", "verify", "--store=env:STORE"}, "txweave verify --store=env:STORE"},
		{[]string{"txweave", "bugs", "label", "it's", ""}, `txweave bugs label 'it'\''s' ''`},
	} {
		if got := CommandLine(tc.args); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.args, got, tc.want)
		}
	}
}
