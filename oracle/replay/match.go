package replay

import (
	"txweave/exec"
	"txweave/sdg"
)

// matches returns the match oracle of the dependency inference: the database itself evaluates a statement's
// WHERE clause on a scratch table that holds every version of the rows of its table. It is asked only where a
// graph is cyclic at the coarser precisions, one query per statement.
func (k *checker) matches(obs *observation) func(int, sdg.Version) (bool, bool) {
	if k.opt.Precision < sdg.Match {
		return nil
	}
	answers := map[int]map[sdg.Version]bool{}
	return func(i int, v sdg.Version) (match, known bool) {
		got, asked := answers[i]
		if !asked {
			info := obs.nodes[i].Block.Info
			q := exec.MatchQuery{Table: info.MatchTable, Alias: info.MatchAlias, Where: info.MatchWhere}
			for _, n := range obs.nodes {
				if n.Block.Info.Target == q.Table && !n.Block.Info.Diff {
					q.Written = append(q.Written, n.AWR.Rows)
				}
			}
			var err error
			if got, err = k.Matching(q); err != nil {
				k.matchErr = err
			}
			answers[i] = got
		}
		match, known = got[v]
		return match, known
	}
}
