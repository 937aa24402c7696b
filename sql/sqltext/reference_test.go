package sqltext_test

import (
	"reflect"
	"slices"
	"testing"

	mysql "txweave/dbms/mysql/dialect"
	postgresql "txweave/dbms/postgresql/dialect"
	tree "txweave/sql"
	"txweave/sql/sqltext"
)

var (
	pg    = postgresql.New(postgresql.Server{Version: 18})
	maria = mysql.New(mysql.Server{Product: "MariaDB", Version: 120100})
)

// TestReferences: what is read of a foreign key, and what a table is without those that are checked at COMMIT.
func TestReferences(t *testing.T) {
	const head = "CREATE TABLE c (pkey INT PRIMARY KEY, "
	for _, x := range []struct {
		item, without string // without: "-" the same text, "" nothing
		want          sqltext.Reference
	}{
		{"r INT, FOREIGN KEY (r) REFERENCES p (k)", "-", sqltext.Reference{Column: "r", Parent: "p", Key: "k"}},
		{"r INT, FOREIGN KEY (r) REFERENCES p (k) DEFERRABLE", "-", sqltext.Reference{Column: "r", Parent: "p", Key: "k"}},
		{"r INT, FOREIGN KEY (r) REFERENCES p (k) DEFERRABLE INITIALLY IMMEDIATE", "-", sqltext.Reference{Column: "r",
			Parent: "p", Key: "k"}},
		{"r INT, FOREIGN KEY (r) REFERENCES p (k) NOT DEFERRABLE INITIALLY DEFERRED", "-", sqltext.Reference{Column: "r",
			Parent: "p", Key: "k"}},
		{"r INT, FOREIGN KEY (r) REFERENCES p (k) DEFERRABLE INITIALLY DEFERRED", "r INT", sqltext.Reference{Column: "r",
			Parent: "p", Key: "k", Deferred: true}},
		{"r INT, CONSTRAINT x FOREIGN KEY (r) REFERENCES p (k) ON DELETE NO ACTION INITIALLY DEFERRED", "r INT",
			sqltext.Reference{Column: "r", Parent: "p", Key: "k", Deferred: true}},
		{"r INT, FOREIGN KEY (r) REFERENCES p (k) ON DELETE SET NULL ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED",
			"r INT",
			sqltext.Reference{Column: "r", Parent: "p", Key: "k", Deferred: true, Acts: true, OnDelete: "set null",
				OnUpdate: "cascade"}},
		{"r INT REFERENCES p (k) ON UPDATE SET DEFAULT ON DELETE CASCADE", "-", sqltext.Reference{Column: "r", Parent: "p",
			Key: "k", Acts: true, OnDelete: "cascade"}},
		{"r INT, FOREIGN KEY (r) REFERENCES p (k) ON DELETE RESTRICT", "-", sqltext.Reference{Column: "r", Parent: "p",
			Key: "k", Acts: true}},
		{"r INT CONSTRAINT x REFERENCES s.p (k) MATCH FULL DEFERRABLE INITIALLY DEFERRED NOT NULL", "r INT NOT NULL",
			sqltext.Reference{Column: "r", Parent: "p", Key: "k", Deferred: true, Full: true}},
		{"r INT REFERENCES p (k) MATCH SIMPLE", "-", sqltext.Reference{Column: "r", Parent: "p", Key: "k"}},
		{"r INT REFERENCES p DEFERRABLE INITIALLY DEFERRED UNIQUE", "r INT UNIQUE", sqltext.Reference{Column: "r",
			Parent: "p", Deferred: true}},
		{"r INT UNIQUE DEFERRABLE INITIALLY DEFERRED REFERENCES p (k)", "-", sqltext.Reference{Column: "r",
			Parent: "p", Key: "k"}},
	} {
		sql := head + x.item + ")"
		s := sqltext.ReadSchema(pg, []string{"CREATE TABLE p (k INT PRIMARY KEY)", sql})
		x.want.Columns = []string{"r"}
		if x.want.Key != "" {
			x.want.Keys = []string{x.want.Key}
		}
		if got := s.Table("c").References; !reflect.DeepEqual(got, []sqltext.Reference{x.want}) {
			t.Errorf("%s: %+v, want %+v", x.item, got, x.want)
		}
		want := sql
		if x.without != "-" {
			want = head + x.without + ")"
		}
		stmt, _ := pg.Parse(sql)
		if got, err := pg.Print(sqltext.WithoutDeferred(stmt.(*tree.CreateTable))); err != nil || got != want {
			t.Errorf("%s: without those checked at COMMIT: %s", x.item, got)
		}
		if asked := slices.Equal(s.Asking("p"), []string{"c"}); asked == x.want.Deferred || !slices.Equal(s.Children("p"),
			[]string{"c"}) {
			t.Errorf("%s: asked %v, children %v", x.item, s.Asking("p"), s.Children("p"))
		}
	}
}

// TestCompositeReferences: a foreign key of several columns has none that stands for it alone.
func TestCompositeReferences(t *testing.T) {
	for sql, want := range map[string]sqltext.Reference{
		"CREATE TABLE c (a INT, b INT, FOREIGN KEY (b, `a`) REFERENCES p (k, `l`) ON DELETE CASCADE)": {Columns: []string{"b",
			"a"}, Parent: "p", Keys: []string{"k", "l"}, Acts: true, OnDelete: "cascade"},
		"CREATE TABLE c (a INT, b INT, CONSTRAINT x FOREIGN KEY (a, b) REFERENCES p)": {Columns: []string{"a",
			"b"}, Parent: "p"},
	} {
		if got := sqltext.ReadSchema(maria, []string{sql}).Table("c").References; !reflect.DeepEqual(got,
			[]sqltext.Reference{want}) {
			t.Errorf("%s: %+v, want %+v", sql, got, want)
		}
	}
}

// TestCarriedByUpdate: an UPDATE changes no row through a foreign key to pkey, which none gives another value, by
// whichever way that is the key; and through others whatever is carried on from there.
func TestCarriedByUpdate(t *testing.T) {
	for refers, want := range map[string][]string{"(pkey)": nil, "": nil, "(k)": {"c", "d"}, "(k, pkey)": {"c", "d"}} {
		s := sqltext.ReadSchema(pg,
			[]string{"CREATE TABLE p (pkey INT PRIMARY KEY, k INT UNIQUE, own INT REFERENCES p (pkey) ON DELETE CASCADE)",
				"CREATE TABLE c (pkey INT PRIMARY KEY, a INT, b INT, FOREIGN KEY (a, b) REFERENCES p " + refers +
					" ON UPDATE CASCADE)",
				"CREATE TABLE d (pkey INT PRIMARY KEY REFERENCES c (pkey) ON DELETE SET NULL)"})
		if got := s.CarriedByUpdate("p"); !slices.Equal(got, want) {
			t.Errorf("REFERENCES p %s: %v, want %v", refers, got, want)
		}
		if got := s.Carried("p"); !slices.Equal(got, []string{"p", "c", "d"}) {
			t.Errorf("REFERENCES p %s: all that is carried is %v", refers, got)
		}
	}
}

// TestUnread: of a table whose definition is not read the name is known, so that what it holds is compared.
func TestUnread(t *testing.T) {
	s := sqltext.ReadSchema(maria, []string{"CREATE TABLE t (a INT SOMEHOW)", "CREATE INDEX x ON t (a) SOMEHOW"})
	if len(s.Tables) != 1 || s.Table("t") == nil || len(s.Table("t").Columns) > 0 {
		t.Errorf("%+v", s.Tables)
	}
}
