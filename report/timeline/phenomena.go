package timeline

import "txweave/dbms"

// phenomena tell what the isolation oracle saw.
var phenomena = map[string]wording{
	string(dbms.G0): {"dirty write", "Two transactions change the same row before either of them has ended",
		"A row that a transaction has changed belongs to it until it ends. Here another one changed it in between, so a rollback or a crash cannot restore the right value."},
	string(dbms.G1a): {"aborted read", sees + "a change that is rolled back later",
		"What a transaction that is rolled back has written was never in the database. Here another transaction works with it."},
	string(dbms.G1b): {"intermediate read", sees + "a value that its transaction changes again before it commits",
		"Of a transaction only the last value of a row may become visible. Here another transaction works with one that was never committed."},
	string(dbms.G1c): {"circular information flow", "Two transactions each see the other one's changes",
		"If each sees what the other one wrote, each must have come after the other. At least one of them saw what was not committed yet."},
	string(dbms.OTV): {"observed transaction vanishes", sees + "only a part of a transaction whose other part it has seen",
		"Once a transaction sees a change of another one, it must see all its changes. Here a part of them is missing."},
	string(dbms.P2): {"fuzzy read", "A row that a transaction reads twice has changed in between",
		"At this level a transaction reads one state of the database from its first read to its end. Here a commit of another transaction shows in the midst of it."},
	string(dbms.PMP): {"read skew", "A transaction sees in a later read what another one has committed since its first",
		"At this level all reads of a transaction see one state of the database. Here the reads are of two states, before and after another transaction's commit."},
	string(dbms.P4): {"lost update", "{stmt} overwrites a change that its transaction has not seen: one update is lost",
		"The transaction decided what to write from a value that another one had replaced by then. Whichever transaction is taken to be the first, the second one must see its change."},
	string(dbms.GSingle): {"read skew", "A transaction sees a part of what another one has committed",
		"A transaction must see another one's changes all together or not at all. Here it sees some of them."},
	string(dbms.GSIb): {"long fork", "Transactions see the commits of others in different orders",
		"Commits have one order. Here one transaction sees the first of two commits without the second, and another one the second without the first."},
	string(dbms.G2Item): {"write skew", "Transactions commit although each read what the other one changed",
		"At this level the transactions must give what they give one after the other. Whichever comes first, the next one must see its change, and none of them did."},
	string(dbms.G2): {"anti-dependency cycle", "Transactions commit although each searched for rows that the other one changed",
		"At this level the transactions must give what they give one after the other. Whichever comes first, the next one must see its change, and none of them did."},
	string(dbms.GSIa): {"interference", sees + "what was committed after its transaction's snapshot",
		"At this level a transaction reads the state of the moment at which its snapshot was taken. Here a later commit shows."},
	string(dbms.GSIaRead): {"interference", sees + "what was committed after its transaction's snapshot",
		"At this level a transaction reads the state of the moment at which its snapshot was taken. Here a later commit shows."},
}
