package shrink_test

import (
	"slices"
	"testing"

	"txweave/campaign"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/fault"
	"txweave/finding"
	"txweave/internal/testkit/effort"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// plantedCase is a case that shows a planted bug by a finding with a signature, or by any where that is "", and the
// cause of the one bug that its findings are.
type plantedCase struct {
	name, fault, text, signature string
	cause                        finding.Cause
}

// TestCausesOfPlanted reduces cases of which each made a bug of its own once, beside the one that it is a finding of.
func TestCausesOfPlanted(t *testing.T) {
	effort.Full(t)
	const named,
		plain = "CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, PRIMARY KEY (pkey));\n",
		"CREATE TABLE t0 (pkey INTEGER NOT NULL, c0 TEXT);\n"
	const referred = "CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, k INTEGER UNIQUE, PRIMARY KEY (pkey));\n"
	const row, texts = "\n-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\n",
		"\n-- rows --\nINSERT INTO t0 (pkey, c0) VALUES (1, 'a');\n"
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []plantedCase{
		{"the only row is missed before it is changed", "lost-row", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/UPDATE:affected-versus-written", finding.CauseMissing},
		{"one of the rows that an INSERT makes is missed, and another transaction changes it", "lost-row", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0), (2, 1, 0);\nCOMMIT;\n" +
			"\n-- T1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseMissing},
		{"a transaction is committed before the database refuses it", "dirty-write", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nUPDATE t0 SET pvkey = vkey, vkey = 3;\nCOMMIT;\n" +
			"\n-- T1 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 4, 0);\nCOMMIT;\n\n-- schedule --\nT0 T0 T1 T1 " +
			"T1 T0 T0\n",
			"replay-difference/final", finding.CauseKept},
		{"a transaction is committed before its end, and others see it", "dirty-write", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nCOMMIT;\n\n-- T1 --\nBEGIN;\nUPDATE t0 " +
			"SET pvkey = vkey, vkey = 2;\nCOMMIT;\n" +
			"\n-- T2 --\nBEGIN;\nSELECT vkey FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T2 T2 T2 T1\n",
			"isolation-violation/G-SIa-read", finding.CauseKept},
		{"with a foreign key", "update-other-rows", referred +
			"CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INTEGER, PRIMARY KEY " +
			"(pkey), FOREIGN KEY (c0) REFERENCES t0 (k) ON UPDATE CASCADE);\n" + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"replay-difference/UPDATE:affected", finding.Cause{Kind: fault.PassesOver, Of: "UPDATE"}},
		{"an INSERT into a table without versions", "lost-insert", plain + texts +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, c0) VALUES (2, NULL);\nUPDATE t0 SET c0 = 'a';\nCOMMIT;\n\n-- schedule " +
			"--\nT0 T0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseNone},
		{"affected rows of an UPDATE that leaves its row as it is", "wrong-affected", plain + texts +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET c0 = 'a';\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"replay-difference/UPDATE:affected", finding.CauseMiscount},
		{"an INSERT into a table with a foreign key that carries on", "lost-insert",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, PRIMARY KEY (pkey));\n" +
				"CREATE TABLE t1 (pkey INTEGER NOT NULL, c0 INTEGER, PRIMARY KEY (pkey), FOREIGN KEY (c0) REFERENCES t0 (pkey) ON " +
				"UPDATE CASCADE);\n" +
				"\n-- T0 --\nBEGIN;\nSELECT 1 FROM t0;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nINSERT INTO t0 (pkey) VALUES " +
				"(1);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			"", finding.CauseNone},
		{"a transaction is committed before its end, beside a snapshot", "dirty-write",
			named + "CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);\n" +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nUPDATE t0 SET pvkey = vkey, vkey = " +
				"2;\nCOMMIT;\n" +
				"\n-- T1 --\nBEGIN;\nSELECT 'a' FROM t1;\nSELECT 'a' FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T0 T1 " +
				"T1\n",
			"isolation-violation/G-SIa-read", finding.CauseKept},
		{"a transaction lets go of its lock, of rows without versions", "dirty-write", plain +
			"\n-- T0 --\nBEGIN IMMEDIATE;\nUPDATE t0 SET c0 = 'a';\nCOMMIT;\n\n-- T1 --\nBEGIN IMMEDIATE;\nCOMMIT;\n\n-- " +
			"schedule --\nT0 T0 T1 T1 T0\n",
			"mechanism-violation/write-lock", finding.CauseKept},
		{"a transaction that RELEASE has committed, and nothing is written", "release-commits", plain +
			"\n-- T0 --\nBEGIN;\nSAVEPOINT a;\nSAVEPOINT b;\nRELEASE b;\nROLLBACK TO a;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 " +
			"T0 T0 T0\n",
			"inconsistent-read-write/ROLLBACK TO:lost-savepoint", finding.CauseKept},
		{"… and its snapshot moves", "release-commits", named +
			"\n-- T0 --\nBEGIN;\nSAVEPOINT a;\nSELECT 1 FROM t0;\nRELEASE a;\nSELECT 1 FROM t0;\nCOMMIT;\n\n-- T1 " +
			"--\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T1 T1 T1 T0 T0 T0\n", "snapshot-violation/newer-read", finding.CauseKept},
		{"a transaction's own write is undone with its savepoint", "savepoint-undoes-all", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nSAVEPOINT a;\nROLLBACK TO a;\nSELECT 1 FROM " +
			"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0 T0 T0\n",
			"snapshot-violation/own-write-missed", finding.CauseLost},
		{"… and another transaction writes over what is left", "savepoint-undoes-all", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nSAVEPOINT a;\nROLLBACK TO a;\nCOMMIT;\n\n-- T1 " +
			"--\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 3;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T0 T0 T1 T1 T1\n", "snapshot-violation/stale-read", finding.CauseLost},
		{"a row names a version that nobody wrote", "other-final-state", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/UPDATE:overwrote-unseen", finding.CauseUnwritten},
		{"… and the contents at the end alone tell", "other-final-state", referred +
			"CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INTEGER, FOREIGN KEY " +
			"(c0) REFERENCES t0 (k) ON DELETE CASCADE);\n" + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"replay-difference/final", finding.CauseUnwritten},
		{"what ROLLBACK TO leaves is written over", "savepoint-keeps-write", named + row +
			"\n-- T0 --\nBEGIN;\nSAVEPOINT a;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nROLLBACK TO a;\nCOMMIT;\n\n-- T1 " +
			"--\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 3;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T0 T0 T1 T1 T1\n", "snapshot-violation/dirty-read", finding.CauseKeptTo},
		{"… and a row stays away that ROLLBACK TO brings back", "savepoint-keeps-write", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nSAVEPOINT a;\nDELETE " +
			"FROM t0;\nROLLBACK TO a;\nSELECT 1 FROM t0;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T1 T1 T1 T1 T1 T1\n", "snapshot-violation/undone-write", finding.CauseKeptTo},
		{"a row that is changed is missed, and goes with its savepoint", "lost-row", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nSAVEPOINT a;\nUPDATE t0 SET pvkey = " +
			"vkey, vkey = 2;\nROLLBACK TO a;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T0 T0 T0\n", "inconsistent-read-write/UPDATE:affected-versus-written",
			finding.CauseMissing},
		{"a stale read", "stale-snapshot", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nSELECT pkey, vkey FROM " +
			"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			"snapshot-violation/stale-read", finding.CauseStale},
		{"a dirty read", "dirty-read", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nSELECT pkey, vkey FROM " +
			"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T1 T1 T1 T0\n",
			"snapshot-violation/dirty-read", finding.CauseDirty},
		{"… by a DELETE, before it waits for who has written", "intermediate-read", named + row +
			"\n-- T0 --\nBEGIN;\nDELETE FROM t0;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nDELETE " +
			"FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T1 T1 T1 T0 T0\n",
			"snapshot-violation/dirty-read", finding.CauseDirty},
		{"… of what ROLLBACK TO had undone, so that its snapshot is a later one", "intermediate-read", named + row +
			"\n-- T0 --\nBEGIN;\nSAVEPOINT a;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 2, 0);\nROLLBACK TO a;\nUPDATE " +
			"t0 SET pvkey = vkey, vkey = 3;\nCOMMIT;\n" +
			"\n-- T1 --\nBEGIN;\nSELECT 1 FROM t0;\nSELECT 1 FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0 T1 T1 T0 T0 T1 " +
			"T1\n",
			"snapshot-violation/newer-read", finding.CauseDirty},
		{"… where there was nothing to see, so that its snapshot is a later one", "dirty-read", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 3 WHERE 0;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nUPDATE t0 SET " +
			"pvkey = vkey, vkey = 2;\nCOMMIT;\n" +
			"\n-- T2 --\nBEGIN;\nSELECT pkey, vkey FROM t0;\nSELECT pkey, vkey FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T1 " +
			"T1 T1 T2 T2 T0 T2 T2\n",
			"isolation-violation/P2", finding.CauseDirty},
		{"a deleted row is there again, and another transaction changes it", "resurrected-row", named + row +
			"\n-- T0 --\nBEGIN;\nDELETE FROM t0;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = " +
			"2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			"mechanism-violation/stale-read", finding.CauseLost},
		{"a row is missed in a subquery of an INSERT", "lost-row",
			named + "CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL);\n" +
				"\n-- rows --\nINSERT INTO t1 (pkey, vkey, pvkey) VALUES (1, 1, 0);\n" +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES ((SELECT 1 FROM t1 ORDER BY t1.pkey LIMIT 1), 2, " +
				"0);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseMissing},
		{"the only row, by a condition that needs functions", "lost-row",
			plain + "\n-- rows --\nINSERT INTO t0 (pkey, c0) VALUES (1, NULL);\n" +
				"INSERT INTO t0 (pkey, c0) VALUES (2, REPLACE(HEX(ZEROBLOB(4100)), '00', 'q0'));\n" +
				"\n-- T0 --\nBEGIN;\nDELETE FROM t0 WHERE c0 = REPLACE(HEX(ZEROBLOB(4100)), '00', 'q0');\nCOMMIT;\n\n-- schedule " +
				"--\nT0 T0 T0\n",
			"", finding.CauseMissing},
		{"a row is missed behind its INSERT", "lost-row", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseMissing},
		{"a transaction's own last row is missed", "not-my-last-write", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nINSERT INTO t0 (pkey, vkey, pvkey) " +
			"VALUES (2, 2, 0);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseOwn},
		{"… and another transaction finds what nobody is seen to write", "not-my-last-write",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 BLOB, PRIMARY KEY " +
				"(pkey)) WITHOUT ROWID;\n" +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, NULL);\nUPDATE t0 SET c0 = " +
				"1;\nCOMMIT;\n" +
				"\n-- T1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0 T1 T1 T1\n",
			"snapshot-violation/thin-air-read", finding.CauseOwn},
		{"an index is stale, and a subquery asks for the row", "stale-index",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 DOUBLE, PRIMARY KEY " +
				"(pkey));\nCREATE INDEX i0 ON t0 (c0);\n" +
				"\n-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 0);\n" +
				"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2, c0 = 1;\nSELECT r0.vkey FROM t0 AS r0 WHERE 1 NOT IN " +
				"(SELECT 1 FROM t0 WHERE 1 >= r0.c0 AND 0);\nCOMMIT;\n" +
				"\n-- schedule --\nT0 T0 T0 T0\n", "replay-difference/SELECT:rows", finding.CauseSearch},
		{"a count beside a write, of no table", "wrong-own-aggregate", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nSELECT COUNT(1);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 " +
			"T0\n",
			"replay-difference/SELECT:rows", finding.CauseCount},
		{"… and in a window", "wrong-own-aggregate", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nSELECT COUNT(pkey) OVER (PARTITION BY vkey) FROM " +
			"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"replay-difference/SELECT:rows", finding.CauseCount},
		{"a row is missed and then seen beside the INSERT of another, which is rolled back", "lost-row", named + row +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 2, 0);\nROLLBACK;\n\n-- schedule --\nT0 T0 T0\n",
			"", finding.CauseMissing},
		{"an INSERT of several rows that may leave one as it was", "lost-insert", plain + texts +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, c0) VALUES (2, 'a'), (3, 'a') ON CONFLICT DO UPDATE SET c0 = " +
			"excluded.c0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-spelled", finding.CauseNone},
		{"… that leaves it, and miscounts", "wrong-affected",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, c0 TEXT, PRIMARY KEY (pkey));\n" + texts +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, c0) VALUES (1, 'a') ON CONFLICT DO UPDATE SET c0 = " +
				"excluded.c0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-spelled", finding.CauseMiscount},
		{"… of groups, by which rows are in another order", "wrong-own-aggregate",
			named + row + "INSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 2, 0);\n" +
				"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 3;\nSELECT 0 FROM (SELECT COUNT(1) FROM t0 GROUP BY pkey) " +
				"AS r0 ORDER BY 1;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"inconsistent-read-write/SELECT:order-versus-rows", finding.CauseCount},
		{"what is written before a savepoint goes with what is undone", "savepoint-undoes-all", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nSAVEPOINT a;\nUPDATE t0 SET pvkey = vkey, vkey = " +
			"3;\nROLLBACK TO a;\nCOMMIT;\n" +
			"\n-- T1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 4;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0 T0 T0 T1 T1 T1\n",
			"mechanism-violation/stale-read", finding.CauseLost},
		{"a row that is kept away, with its INSERT before the savepoint", "savepoint-keeps-write", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nSAVEPOINT a;\nDELETE FROM " +
			"t0;\nROLLBACK TO a;\nSELECT pkey, vkey FROM t0;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T0 T0 T0 T0\n", "", finding.CauseKeptTo},
		{"a row is missed behind its INSERT, and a DELETE of all seems to make it", "not-my-last-write", named + row +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 2, 0);\nINSERT INTO t0 (pkey, vkey, pvkey) " +
			"VALUES (3, 3, 0);\nDELETE FROM t0;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T0 T0\n", "inconsistent-read-write/INSERT:affected-versus-written", finding.CauseOwn},
		{"… and an INSERT that writes nothing does", "not-my-last-write",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, c0 INT, PRIMARY KEY (pkey));\n\n-- rows --\nINSERT INTO t0 (pkey, c0) " +
				"VALUES (2, 0);\n" +
				"\n-- T0 --\nBEGIN;\nDELETE FROM t0 WHERE 0;\nINSERT INTO t0 (pkey, c0) VALUES (1, 0) ON CONFLICT DO UPDATE SET " +
				"c0 = 1;\n" +
				"INSERT INTO t0 (pkey, c0) SELECT 4000 + r0.pkey, 1 FROM t0 AS r0 WHERE 0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 " +
				"T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseOwn},
		{"… and one that writes another row", "not-my-last-write",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, c0 INT, PRIMARY KEY (pkey));\n\n-- rows --\nINSERT INTO t0 (pkey, c0) " +
				"VALUES (3, 0);\n" +
				"\n-- T0 --\nBEGIN;\nDELETE FROM t0 WHERE 0;\nINSERT INTO t0 (pkey, c0) VALUES (2, 1), (4, 1) ON CONFLICT DO " +
				"UPDATE SET c0 = 1;\n" +
				"INSERT INTO t0 (pkey, c0) VALUES (1, 1);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-written", finding.CauseOwn},
		{"a row twice of a query without a table", "two-versions", named +
			"\n-- T0 --\nBEGIN;\nSELECT 'a';\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n", "replay-difference/SELECT:rows",
			finding.CauseTwice},
		{"what is read out of thin air seems to be written, and then lost", "thin-air-read", named +
			"CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INTEGER, PRIMARY KEY " +
			"(pkey), FOREIGN KEY (c0) REFERENCES t0 (pkey) ON UPDATE NO ACTION) WITHOUT ROWID;\n" +
			row + "INSERT INTO t1 (pkey, vkey, pvkey, c0) VALUES (1, 2, 0, NULL);\nINSERT INTO t1 (pkey, vkey, pvkey, c0) " +
			"VALUES (2, 3, 0, NULL);\n" +
			"\n-- T0 --\nBEGIN;\nSELECT pkey, vkey FROM t1;\nCOMMIT;\n" +
			"\n-- T1 --\nBEGIN;\nINSERT INTO t1 (pkey, vkey, pvkey, c0) VALUES (1 + 1, 4, 0, 1) ON CONFLICT DO UPDATE SET " +
			"pvkey = vkey, vkey = 4;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T1 T1 T1\n", "isolation-violation/OTV", finding.CauseThinAir},
		{"… by an upsert that does not meet it", "thin-air-read", named +
			"CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INTEGER, PRIMARY KEY " +
			"(pkey), FOREIGN KEY (c0) REFERENCES t0 (pkey) ON UPDATE NO ACTION) WITHOUT ROWID;\n" +
			row + "INSERT INTO t1 (pkey, vkey, pvkey, c0) VALUES (1, 2, 0, NULL);\nINSERT INTO t1 (pkey, vkey, pvkey, c0) " +
			"VALUES (2, 3, 0, NULL);\n" +
			"\n-- T0 --\nBEGIN;\nSELECT pkey, vkey FROM t1;\nCOMMIT;\n" +
			"\n-- T1 --\nBEGIN;\nINSERT INTO t1 (pkey, vkey, pvkey, c0) VALUES (2, 4, 0, 1) ON CONFLICT DO UPDATE SET pvkey = " +
			"vkey, vkey = 4;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T1 T1 T1\n", "inconsistent-read-write/INSERT:changed-unmet-row", finding.CauseThinAir},
		{"a read of what its transaction inserts behind it", "future-read", named +
			"\n-- T0 --\nBEGIN;\nSELECT pkey, vkey FROM t0;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, " +
			"0);\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"inconsistent-read-write/SELECT:count-versus-seen", finding.CauseLater},
		{"… of what it deletes", "future-read", named + row +
			"\n-- T0 --\nBEGIN;\nSELECT pkey, vkey FROM t0;\nDELETE FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"inconsistent-read-write/SELECT:count-versus-seen", finding.CauseLater},
		{"… and a query does not print", "future-read", named + row +
			"\n-- T0 --\nBEGIN;\nSELECT 1 FROM t0;\nDELETE FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"inconsistent-read-write/SELECT:count-versus-seen", finding.CauseLater},
		{"… of what it changes, where versions are contents", "future-read",
			named + row + "\n-- T0 --\nBEGIN;\nUPDATE t0 SET pvkey = 0;\nCOMMIT;\n" +
				"\n-- T1 --\nBEGIN;\nSELECT pkey, vkey FROM t0;\nUPDATE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule " +
				"--\nT0 T0 T0 T1 T1 T1 T1\n",
			"snapshot-violation/thin-air-read", finding.CauseLater},
		{"… in a table without versions", "future-read", plain + texts +
			"\n-- T0 --\nBEGIN;\nSELECT 'a' FROM t0;\nDELETE FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"replay-difference/SELECT:rows", finding.CauseLater},
		{"a row that is missed, and that its transaction deletes", "lost-row", named + row +
			"\n-- T0 --\nBEGIN;\nSELECT pkey, vkey FROM t0;\nDELETE FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n", "",
			finding.CauseMissing},
		{"an error of a key that another transaction wrote is not told", "vanished-error",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 TEXT, PRIMARY KEY " +
				"(pkey), UNIQUE (c0));\n" +
				"\n-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 'a');\n" +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 2, 0, 'b');\nCOMMIT;\n" +
				"\n-- T1 --\nBEGIN;\nUPDATE t0 SET pvkey = vkey, vkey = 3, c0 = 'a';\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 " +
				"T1\n",
			"inconsistent-read-write/UPDATE:matched-versus-written", finding.CauseKey},
		{"… nor that of an INSERT that may leave a row as it was", "vanished-error",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, c0 TEXT, PRIMARY KEY (pkey), UNIQUE (c0));\n" + texts +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, c0) VALUES (2, 'a') ON CONFLICT (pkey) DO UPDATE SET c0 = " +
				"excluded.c0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/INSERT:affected-versus-spelled", finding.CauseKey},
		{"another row than a DELETE takes seems to be gone", "lost-row", named +
			"CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INTEGER, FOREIGN KEY " +
			"(c0) REFERENCES t0 (pkey) ON DELETE CASCADE);\n" +
			"CREATE TABLE t2 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, PRIMARY KEY (pkey));\n" +
			row + "INSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 2, 0);\nINSERT INTO t2 (pkey, vkey, pvkey) VALUES (1, 3, 0);\n" +
			"\n-- T0 --\nBEGIN;\nDELETE FROM t0 WHERE pkey = 2;\nSELECT 1 FROM t2 JOIN t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 " +
			"T0 T0\n",
			"snapshot-violation/own-write-missed", finding.CauseMissing},
		{"… for another transaction, too", "lost-row", named +
			"CREATE TABLE t1 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INTEGER, FOREIGN KEY " +
			"(c0) REFERENCES t0 (pkey) ON DELETE CASCADE);\n" +
			"CREATE TABLE t2 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, PRIMARY KEY (pkey));\n" +
			row + "INSERT INTO t0 (pkey, vkey, pvkey) VALUES (2, 2, 0);\nINSERT INTO t2 (pkey, vkey, pvkey) VALUES (1, 3, 0);\n" +
			"\n-- T0 --\nBEGIN;\nDELETE FROM t0 WHERE pkey = 2;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nSELECT 1 FROM t2 JOIN " +
			"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T1 T1 T1\n",
			"snapshot-violation/stale-read", finding.CauseMissing},
		{"a row is missed around an INSERT of what a query finds, and the next statement counts what that made", "lost-row",
			named + row +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) SELECT 2000 + r0.pkey, 2, 0 FROM t0 AS r0;\nDELETE FROM " +
				"t0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n",
			"inconsistent-read-write/DELETE:affected-versus-written", finding.CauseMissing},
		{"an UPDATE passes over a row that another transaction wrote", "update-other-rows", named +
			"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0);\nCOMMIT;\n\n-- T1 --\nBEGIN;\nUPDATE t0 " +
			"SET pvkey = vkey, vkey = 2;\nCOMMIT;\n" +
			"\n-- schedule --\nT0 T0 T0 T1 T1 T1\n", "inconsistent-read-write/UPDATE:matched-versus-written",
			finding.Cause{Kind: fault.PassesOver, Of: "UPDATE"}},
		{"… and would ignore errors", "update-other-rows", named + row +
			"\n-- T0 --\nBEGIN;\nUPDATE OR IGNORE t0 SET pvkey = vkey, vkey = 2;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"replay-difference/UPDATE:affected", finding.Cause{Kind: fault.PassesOver, Of: "UPDATE"}},
		{"an INSERT that may leave a row as it was writes none, and the contents at the end tell", "lost-insert",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT, PRIMARY KEY " +
				"(pkey));\n\n-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 0);\n" +
				"\n-- T0 --\nBEGIN;\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 2, 0, 1) ON CONFLICT DO UPDATE SET c0 = " +
				"excluded.c0;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"replay-difference/final", finding.CauseNone},
		{"an UPDATE of a table with keys that passes over rows", "update-other-rows",
			"CREATE TABLE t0 (pkey INTEGER NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 TEXT, PRIMARY KEY (c0)) " +
				"WITHOUT ROWID;\n" +
				"\n-- rows --\nINSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 'a');\n\n-- T0 --\nBEGIN;\nUPDATE t0 SET " +
				"pvkey = vkey, vkey = 3;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			"inconsistent-read-write/UPDATE:matched-versus-written", finding.Cause{Kind: fault.PassesOver, Of: "UPDATE"}},
		{"no row of a query without a table", "lost-row", named +
			"\n-- T0 --\nBEGIN;\nSELECT 1;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n", "replay-difference/SELECT:rows",
			finding.CauseMissing},
	} {
		c.check(t, p)
	}
}

// check groups what the case shows with its planted bug.
func (c *plantedCase) check(t *testing.T, p *dbms.Profile) {
	t.Helper()
	faults := slices.DeleteFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name != c.fault })
	parsed, err := testcase.Parse(c.name,
		[]byte("txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\n"+c.text))
	if err != nil {
		t.Fatal(err)
	}
	bugs := &finding.Bugs{}
	err = withPlanted(t, p, faults, func(target exec.Target) error {
		w := worker.On(target, p, weave.Options{Precision: sdg.Match})
		defer w.Release()
		res, err := w.Check(t.Context(), campaign.Job{Text: parsed.Print(), Repeats: 1})
		if err != nil {
			return err
		}
		for i := range res.Findings {
			if _, err := place(t.Context(), bugs, w, p, &res.Findings[i]); err != nil {
				return err
			}
		}
		if c.signature != "" && !slices.ContainsFunc(res.Findings, func(f campaign.Found) bool {
			return f.Signature == c.signature
		}) {
			t.Errorf("%s: no %s, but %s", c.name, c.signature, printBugs(bugs))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(bugs.Bugs) != 1 || bugs.Bugs[0].Signature.Cause != c.cause {
		t.Errorf("%s: %s, want one bug, %s", c.name, printBugs(bugs), c.cause)
	} else if features := bugs.Bugs[0].Signature.Features; finding.OfStatements(c.cause) &&
		slices.Contains(features, "transactions") {
		t.Errorf("%s: it needs %q, want a cause of statements shown by one transaction", c.name, features)
	}
}
