package sqltext

// Kind is what a statement does.
type Kind uint8

// The kinds of statements. Those of target statements come first: Select returns rows and writes none, Insert stands
// for INSERT, REPLACE and MERGE, and UPDATE and DELETE may have a WITH before them.
const (
	Select Kind = iota
	Insert
	Update
	Delete
	Begin      // BEGIN, START TRANSACTION
	Commit     // COMMIT, END
	Rollback   // ROLLBACK of the transaction
	Savepoint  // SAVEPOINT
	RollbackTo // ROLLBACK TO a savepoint
	Release    // RELEASE of a savepoint
	Set        // SET of a variable or a level, PRAGMA
	Lock       // LOCK TABLES, UNLOCK TABLES, FLUSH TABLES WITH READ LOCK
	XA         // a transaction in two phases: XA …, PREPARE TRANSACTION
	Create     // CREATE of a table, an index or a view
	Alter      // ALTER TABLE
	Define     // any other change of definitions, users or databases: DROP, TRUNCATE, GRANT, …
	Other      // anything else
)

var kindNames = [...]string{"select", "insert", "update", "delete", "begin", "commit", "rollback", "savepoint",
	"rollback to", "release",
	"set", "lock", "xa", "create", "alter", "define", "other"}

// String returns the kind as SQL spells it, in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// IsTarget says whether a statement of that kind reads or writes rows, and does nothing else.
func (k Kind) IsTarget() bool { return k <= Delete }

// IsSavepoint says whether a statement of that kind sets a savepoint, goes back to one or forgets one.
func (k Kind) IsSavepoint() bool { return k == Savepoint || k == RollbackTo || k == Release }

// Writes says whether a statement of that kind writes rows.
func (k Kind) Writes() bool { return k == Insert || k == Update || k == Delete }

// kindOf returns the kind of the statement that starts with these tokens, a WITH clause skipped.
func kindOf(t []Token) Kind {
	is := func(i int, words ...string) bool { return i < len(t) && t[i].Is(words...) }
	for len(t) > 0 && t[0].Text == "(" {
		t = t[1:]
	}
	switch {
	case is(0, "select", "table", "values"), len(t) > 0 && t[0].Is("with"):
		return Select
	case is(0, "insert", "replace", "merge"):
		return Insert
	case is(0, "update"):
		return Update
	case is(0, "delete"):
		return Delete
	case is(0, "begin"), is(0, "start") && is(1, "transaction"):
		return Begin
	case is(0, "commit"), is(0, "end"):
		return Commit
	case is(0, "rollback", "abort"):
		for i := range t {
			if is(i, "to") {
				return RollbackTo
			}
		}
		return Rollback
	case is(0, "savepoint"):
		return Savepoint
	case is(0, "release"):
		return Release
	case is(0, "set", "pragma"):
		return Set
	case is(0, "lock", "unlock"), is(0, "flush") && is(1, "table", "tables"):
		return Lock
	case is(0, "xa"), is(0, "prepare") && is(1, "transaction"):
		return XA
	case is(0, "create"):
		if creates(t) != "" {
			return Create
		}
		return Define
	case is(0, "alter") && is(1, "table"):
		return Alter
	case is(0, "alter", "drop", "truncate", "rename", "grant", "revoke"):
		return Define
	}
	return Other
}

// creates returns what CREATE makes: "table", "index" or "view"; "" for anything else.
func creates(t []Token) string {
	for i := 1; i < len(t); i++ {
		switch {
		case t[i].Is("table", "index", "view"):
			return lower(t[i].Text)
		case t[i].Is("or", "replace", "unique", "fulltext", "spatial", "temporary", "temp", "global", "local",
			"algorithm", "undefined",
			"merge", "temptable", "sql", "security", "definer", "invoker", "recursive", "online", "offline", "ignore"),
			t[i].Text == "=":
		default:
			return ""
		}
	}
	return ""
}
