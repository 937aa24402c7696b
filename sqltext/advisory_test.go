package sqltext

import "testing"

// TestAdvisoryLock checks which statements lock a number, and how.
func TestAdvisoryLock(t *testing.T) {
	for sql, want := range map[string]AdvisoryLock{
		"SELECT pg_advisory_xact_lock(7)":                    {Key: "7"},
		"select PG_ADVISORY_XACT_LOCK_SHARED ( 7 )":          {Key: "7", Shared: true},
		"SELECT pg_try_advisory_xact_lock(1, 2)":             {Key: "1,2", Try: true},
		"SELECT pg_advisory_xact_lock(007)":                  {Key: "7"},
		"SELECT pg_advisory_xact_lock(00, 010)":              {Key: "0,10"},
		"SELECT pg_try_advisory_lock_shared(3)":              {Key: "3", Try: true, Shared: true, Session: true},
		"SELECT pg_advisory_lock(3)":                         {Key: "3", Session: true},
		"SELECT pg_advisory_unlock(3)":                       {Key: "3", Session: true, Unlock: true},
		"SELECT pg_advisory_unlock_shared(1,2)":              {Key: "1,2", Session: true, Unlock: true, Shared: true},
		"SELECT pg_advisory_unlock_all()":                    {},
		"SELECT pg_try_advisory_unlock(1)":                   {},
		"SELECT pg_advisory_xact_unlock(1)":                  {},
		"SELECT pg_advisory_xact_lock(1, 2, 3)":              {},
		"SELECT pg_advisory_xact_lock(1,)":                   {},
		"SELECT pg_advisory_xact_lock(pkey) FROM t":          {},
		"SELECT pg_advisory_xact_lock('1')":                  {},
		"SELECT pg_advisory_xact_lock(1), 2":                 {},
		"SELECT pg_advisory_xact_lock(1) FROM t WHERE (1)":   {},
		"SELECT pg_advisory_xact_lock(1 + 1)":                {},
		"INSERT INTO t VALUES (pg_advisory_xact_lock(1))":    {},
		"(SELECT pg_advisory_xact_lock(1))":                  {},
		"WITH c AS (SELECT 1) SELECT pg_advisory_lock(1, 2)": {},
	} {
		s := Read(sql)
		got, ok := s.AdvisoryLock()
		if ok != (want != AdvisoryLock{}) || ok && got != want {
			t.Errorf("%s: %+v %v, want %+v", sql, got, ok, want)
		}
	}
}
