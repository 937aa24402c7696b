package weave

import (
	"txweave/exec"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// matcher returns a match oracle, for the dependency inference and for the isolation oracle: the database itself
// evaluates the WHERE clause of asked[i] on a scratch table that holds the initial rows of its table and what the
// statements of the run wrote. It is asked only where a cycle or the cause of a finding depends on it, one query per
// statement. Of a statement that no WHERE clause judges row by row (its MatchTable is "") nothing is known.
func (k *checker) matcher(obs *observe.Observation, asked []*observe.ObservedStmt, keys bool) func(int,
	history.Version) (bool, bool) {
	answers := map[int]map[history.Version]bool{}
	return func(i int, v history.Version) (match, known bool) {
		if asked[i].Run.Block.Info.MatchTable == "" && (!keys || asked[i].KeyTable == "") {
			return false, false
		}
		got, before := answers[i]
		if !before {
			if q := matchQuery(obs, asked[i]); !k.namesPlace(q) {
				var err error
				if got, err = k.Matching(q); err != nil {
					k.matchErr = err
				}
			}
			answers[i] = got
		}
		match, known = got[v]
		return match, known
	}
}

// matchQuery asks which versions of its table a statement's WHERE clause finds.
func matchQuery(obs *observe.Observation, s *observe.ObservedStmt) exec.MatchQuery {
	info := s.Run.Block.Info
	q := exec.MatchQuery{Of: obs, Table: info.MatchTable, Alias: info.MatchAlias, Where: info.MatchWhere}
	if q.Table == "" {
		q = exec.MatchQuery{Of: obs, Table: s.KeyTable, Alias: info.KeyAlias, Where: info.KeyWhere}
	}
	if obs.Contents[q.Table] {
		q.Written, q.Name = []*history.Rows{obs.Known(q.Table)}, obs.Name(q.Table)
	}
	for _, n := range obs.Stmts {
		q.Written = append(q.Written, n.Written(q.Table)...)
	}
	return q
}

// namesPlace says whether a clause names the place of a row: on the scratch table each row has another one.
func (k *checker) namesPlace(q exec.MatchQuery) bool {
	t := k.plan.Schema.Table(q.Table)
	return t != nil && t.NamesUnlisted(q.Where, sqltext.SyntaxOf(k.plan.Profile.DBMS).Traits.Unlisted)
}
