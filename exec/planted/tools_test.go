package planted

import (
	"strings"
	"testing"
)

// A read that locks, in whatever words, is no plain one: a fault that sent it over a second connection would wait there
// for locks that its own transaction holds, or for one that waits for it, which no database finds out.
func TestPlainRead(t *testing.T) {
	const read = "SELECT r0.pkey FROM t0 AS r0 WHERE r0.pkey = 3"
	f := map[bool]*faultyTarget{true: {profile: profile(t, "mariadb/serializable")},
		false: {profile: profile(t, "postgresql/serializable")}}
	for _, clause := range []string{" FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE", " FOR KEY SHARE",
		" LOCK IN SHARE MODE", " FOR UPDATE NOWAIT", " FOR SHARE SKIP LOCKED",
		" FOR UPDATE OF r0", " FOR NO KEY UPDATE OF r0, r1 SKIP LOCKED", " FOR UPDATE WAIT 1"} {
		target := f[strings.Contains(clause, "MODE") || strings.Contains(clause, "WAIT 1")]
		if target.tree(read+clause) == nil {
			t.Errorf("%s is not read", clause)
		}
		if plainRead(target.tree(read + clause)) {
			t.Errorf("%s is taken for a plain read", clause)
		}
		if target.unlocked(read+clause) != read {
			t.Errorf("%s: without its lock it is %q", clause, target.unlocked(read+clause))
		}
	}
	if !plainRead(f[true].tree(read)) {
		t.Error("a plain read locks nothing")
	}
}
