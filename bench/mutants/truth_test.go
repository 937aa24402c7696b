package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWrongPlan has findings of mutants, and the same with one answer changed.
func TestWrongPlan(t *testing.T) {
	const (
		insert = "INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 2, 0, NULL), (3, 2, 0, 0)"
		right  = `{"op":0,"session":"T0","txn":0,"stmt":-1,"role":"begin","text":"BEGIN","affected":-1}
{"op":1,"session":"T0","txn":0,"stmt":0,"role":"target","text":"` + insert + `","affected":-1,"err":{"code":2067,"message":"constraint failed"}}
{"op":2,"session":"T0","txn":0,"stmt":-1,"role":"end","text":"COMMIT","affected":-1}
{"op":3,"session":"control","txn":-1,"stmt":-1,"role":"final","text":"SELECT * FROM t0","affected":-1,"rows":{"columns":["pkey","vkey","pvkey","c0"],"rows":[[1,1,0,0]]}}
`
		kept = `{"op":0,"session":"replay","txn":0,"stmt":0,"role":"target","text":"` + insert +
			`","affected":-1,"err":{"code":2067,"message":"constraint failed"}}
{"op":1,"session":"control","txn":-1,"stmt":-1,"role":"final","text":"SELECT * FROM t0","affected":-1,"rows":{"columns":["pkey","vkey","pvkey","c0"],"rows":[[2,2,0,null],[1,1,0,0]]}}
`
		unfailed = `{"op":0,"session":"T0","txn":0,"stmt":0,"role":"target","text":"` + insert + `","affected":2}
`
	)
	for _, c := range []struct{ name, trace, replay, want string }{
		{"both are right", right, right, "neither"},
		{"the replay kept a row", right, kept, "replay"},
		{"the transaction did not fail", unfailed, right, "transaction"},
		{"both", unfailed, kept, "both"},
		{"no replay", unfailed, "", "transaction"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"case.txw": failedInsert, "trace.jsonl": c.trace,
				"replay.jsonl": c.replay} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, err := wrongSide(t.Context(), dir)
			if err != nil || got != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

const failedInsert = `txweave case 1
target: sqlite
isolation: serializable

-- schema --
CREATE TABLE t0 (pkey INTEGER NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT);
CREATE UNIQUE INDEX t0_i0 ON t0 (c0);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 0);

-- T0 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (2, 2, 0, NULL), (3, 2, 0, 0);
COMMIT;

-- schedule --
T0 T0 T0
`
