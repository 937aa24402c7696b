package postgresql

import (
	"testing"

	"txweave/internal/testkit/servers"
	"txweave/testcase"
	"txweave/weave"
)

// TestReferredUpdate: an UPDATE asks for no rows that refer to those it writes, unless it gives them another key, so
// one that is committed behind its snapshot is no second view: it stays in the replay.
func TestReferredUpdate(t *testing.T) {
	const text = "txweave case 1\ntarget: postgresql\nisolation: repeatable-read\n\n-- schema --\n" +
		"CREATE TABLE p (pkey BIGINT PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, n INT);\n" +
		"CREATE TABLE c (pkey BIGINT PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, r BIGINT REFERENCES p " +
		"(pkey));\n\n" +
		"-- rows --\nINSERT INTO p (pkey, vkey, pvkey, n) VALUES (1, 1, 0, 1);\nINSERT INTO c (pkey, vkey, pvkey, r) " +
		"VALUES (2, 2, 0, NULL);\n\n" +
		"-- T0 --\nBEGIN;\nINSERT INTO c (pkey, vkey, pvkey, r) VALUES (10, 100, 0, 1);\nCOMMIT;\n\n" +
		"-- T1 --\nBEGIN;\nSELECT n FROM p;\nUPDATE p SET pvkey = vkey, vkey = 101, n = 2 WHERE pkey = 1;\nCOMMIT;\n\n-- " +
		"schedule --\nT1 T1 T0 T0 T0 T1 T1\n"
	p := profile(t, "repeatable-read")
	c, err := testcase.Parse("referred", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := weave.Check(servers.Runner(t, server(t), p), c, p, weave.Options{})
	if err != nil || len(rep.Findings) > 0 {
		t.Fatalf("%v, %+v", err, rep)
	}
	for name, fate := range rep.Fates {
		if fate != weave.Survived {
			t.Errorf("%s did not stay: %v", name, fate)
		}
	}
}
