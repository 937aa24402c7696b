package planted

import "testing"

// A read that locks, in whatever words, is no plain one: a fault that sent it over a second connection would wait there for locks that its own transaction
// holds, or for one that waits for it, which no database finds out.
func TestPlainRead(t *testing.T) {
	const read = "SELECT r0.pkey FROM t0 AS r0 WHERE r0.pkey = 3"
	for _, clause := range []string{" FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE", " FOR KEY SHARE", " LOCK IN SHARE MODE", " FOR UPDATE NOWAIT", " FOR SHARE SKIP LOCKED",
		" FOR UPDATE OF r0", " FOR NO KEY UPDATE OF r0, r1 SKIP LOCKED", " FOR UPDATE WAIT 1"} {
		if plainRead(read + clause) {
			t.Errorf("%s is taken for a plain read", clause)
		}
		if clause != " LOCK IN SHARE MODE" && unlocked(read+clause) != read {
			t.Errorf("%s: without its lock it is %q", clause, unlocked(read+clause))
		}
	}
	if !plainRead(read) {
		t.Error("a plain read locks nothing")
	}
}
