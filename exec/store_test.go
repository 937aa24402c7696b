package exec

import (
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/testcase"
)

// TestServerStore: a private server is made and started as the store of a case says, and again so when it is restarted,
// until a case asks for another one. One of the user's keeps its own, and the case no longer says otherwise.
func TestServerStore(t *testing.T) {
	effort.Full(t)
	db, err := launch(t).Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := lookup(t, "mariadb/repeatable-read")
	variable := func(name string) string {
		t.Helper()
		rows, err := db.Control().Read(t.Context(), "SELECT @@"+name)
		if err != nil {
			t.Fatal(err)
		}
		return rows.Row(0)[0].String()
	}
	usual := variable("innodb_page_size")
	in := func(store string) *testcase.Case {
		c := &testcase.Case{Target: "mariadb"}
		c.SetOption(testcase.OptionStore, store)
		return c
	}
	for _, x := range []struct{ store, name, want string }{{"pages-4k", "innodb_page_size", "4096"},
		{"pages-64k", "innodb_page_size", "65536"}, {"small-pool", "innodb_adaptive_hash_index", "1"}} {
		released := false
		if err := Shape(t.Context(), db, in(x.store), p, func() { released = true }); err != nil || !released {
			t.Fatalf("%s: %v; sessions were closed: %v", x.store, err, released)
		}
		if got := variable(x.name); got != x.want {
			t.Errorf("%s: %s is %s, want %s", x.store, x.name, got, x.want)
		}
		if err := db.Restart(t.Context()); err != nil || variable(x.name) != x.want {
			t.Errorf("%s, after a restart: %s is %s: %v", x.store, x.name, variable(x.name), err)
		}
		if err := Shape(t.Context(), db, in(x.store), p, func() { t.Error("the same store again") }); err != nil {
			t.Error(err)
		}
	}
	user, err := Connect(t.Context(), TestServers["mariadb"], joinedTo(privateOf(db)), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	c := in("pages-4k")
	if err := Shape(t.Context(), user, c, p, func() {}); err != nil || c.Option(testcase.OptionStore) != "" {
		t.Errorf("a server of the user's: %v; the case says %q", err, c.Option(testcase.OptionStore))
	}
	if err := user.Close(); err != nil {
		t.Error(err)
	}
	if err := Shape(t.Context(), db, in(""), p, func() {}); err != nil || variable("innodb_page_size") != usual ||
		variable("innodb_adaptive_hash_index") != "0" {
		t.Errorf("the usual store: %v; pages of %s bytes", err, variable("innodb_page_size"))
	}
}
