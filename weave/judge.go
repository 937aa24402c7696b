package weave

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/instrument"
	"txweave/oracle"
	"txweave/oracle/clock"
	"txweave/oracle/consistency"
	"txweave/oracle/isolation"
	"txweave/oracle/mechanism"
	"txweave/oracle/observe"
	"txweave/oracle/snapshot"
	"txweave/oracle/unexpected"
)

// plainly are the oracles that hold answers against each other as they came, in every run. What the others say presumes
// that what a statement wrote is what it says it wrote; so they judge the first run in which these blame nobody.
var plainly = []oracle.Oracle{unexpected.Oracle{}, consistency.Oracle{}}

// deeply are those others. Of what they find about the same statements the first one's name counts most.
var deeply = []oracle.Oracle{isolation.Oracle{}, snapshot.Oracle{}, mechanism.Oracle{}, clock.Oracle{}}

// lastly are the oracles for what nobody else finds anything wrong with.
var lastly = []oracle.Oracle{consistency.Searches{}}

// again are those of them that judge later runs too.
var again = []oracle.Oracle{clock.Oracle{}}

// judge lets the oracles judge a run, files what they find and drops the statements that they name. It returns how many
// were dropped.
func (k *checker) judge(steps []instrument.Step, run *observe.Run, obs *observe.Observation) (int, error) {
	found, err := k.ask(plainly, run, obs)
	if err != nil {
		return 0, err
	}
	blamed := named(obs, found)
	if len(blamed) == 0 {
		var others []oracle.Oracle
		switch {
		case obs.Unsettled: // the run in another order is judged
		case !k.judged:
			others, k.judged = deeply, true
		default:
			others = again
		}
		more, err := k.ask(others, run, obs)
		if err != nil {
			return 0, err
		}
		found = append(found, more...)
		blamed = named(obs, found)
	}
	if err := k.file(steps, found); err != nil {
		return 0, err
	}
	k.drop(blamed, DroppedBlamed)
	return len(blamed), nil
}

// search lets the last oracles judge a run that all others, and its replay, have found to be well.
func (k *checker) search(steps []instrument.Step, run *observe.Run, obs *observe.Observation) error {
	found, err := k.ask(lastly, run, obs)
	if err != nil {
		return err
	}
	return k.file(steps, found)
}

// ask lets oracles judge a run.
func (k *checker) ask(oracles []oracle.Oracle, run *observe.Run, obs *observe.Observation) ([]*Evidence, error) {
	var found []*Evidence
	for _, o := range oracles {
		v, err := k.verdict(o, obs)
		if err != nil {
			return nil, err
		}
		if v.Unchecked != "" {
			k.rep.NotJudged[o.Name()] = v.Unchecked
		}
		for _, part := range apart(o.Class(), v.Differences) {
			ev := &Evidence{Run: run, Observation: obs}
			ev.Finding = finding.Finding{Class: o.Class(), Oracle: o.Name(), Differences: part}
			found = append(found, ev)
		}
	}
	return found, nil
}

// apart sorts what an oracle says of single statements by what is wrong with each of them first, so that one bug does
// not hide another one that shows to the same oracle. Of phenomena among transactions the later ones are mostly
// consequences of the first.
func apart(class string, diffs []finding.Difference) [][]finding.Difference {
	if len(diffs) == 0 {
		return nil
	}
	if class != finding.ClassInconsistent && class != finding.ClassSnapshot {
		return [][]finding.Difference{diffs}
	}
	var out [][]finding.Difference
	type kind struct {
		of   string
		what fault.Kind
	}
	label := map[kind]int{} // what is wrong first -> place in out
	of := map[string]int{}  // statement -> place in out
	for _, d := range diffs {
		at, known := of[d.Stmt]
		if !known || d.Stmt == "" {
			if at, known = label[kind{d.Kind, d.What}]; !known {
				at = len(out)
				label[kind{d.Kind, d.What}] = at
				out = append(out, nil)
			}
			of[d.Stmt] = at
		}
		out[at] = append(out[at], d)
	}
	return out
}

func (k *checker) verdict(o oracle.Oracle, obs *observe.Observation) (oracle.Ruling, error) {
	v, err := o.Judge(obs)
	if err == nil {
		err = k.matchErr
	}
	return v, err
}

// named are the statements of a run that findings name and that would take part in its graph.
func named(obs *observe.Observation, found []*Evidence) []*observe.ObservedStmt {
	return slices.DeleteFunc(slices.Clone(obs.Stmts), func(s *observe.ObservedStmt) bool {
		return !slices.ContainsFunc(found, func(ev *Evidence) bool { return slices.Contains(ev.Named(), s.Name) })
	})
}
