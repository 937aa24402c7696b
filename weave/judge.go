package weave

import (
	"slices"

	"txweave/finding"
	"txweave/instrument"
	"txweave/observe"
	"txweave/oracle"
	"txweave/oracle/clock"
	"txweave/oracle/consistency"
	"txweave/oracle/isolation"
	"txweave/oracle/mechanism"
	"txweave/oracle/snapshot"
	"txweave/oracle/unexpected"
)

// plainly are the oracles that hold answers against each other as they came, in every run. What the others say presumes
// that what a statement wrote is what it says it wrote; so they judge the first run in which these find nobody guilty.
var plainly = []oracle.Oracle{unexpected.Oracle{}, consistency.Oracle{}}

// deeply are those others. Of what they find about the same statements the first one's name counts most.
var deeply = []oracle.Oracle{isolation.Oracle{}, snapshot.Oracle{}, mechanism.Oracle{}, clock.Oracle{}}

// again are those of them that judge later runs too.
var again = []oracle.Oracle{clock.Oracle{}}

// judge lets the oracles judge a run, files what they find and drops the statements that they name. It returns how many
// were dropped.
func (k *checker) judge(steps []instrument.Step, run *observe.Run, obs *observe.Observation) (int, error) {
	found, err := k.ask(plainly, run, obs)
	if err != nil {
		return 0, err
	}
	guilty := named(obs, found)
	if len(guilty) == 0 {
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
		guilty = named(obs, found)
	}
	if err := k.file(steps, found); err != nil {
		return 0, err
	}
	k.drop(guilty, DroppedGuilty)
	return len(guilty), nil
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
		if len(v.Differences) == 0 {
			continue
		}
		ev := &Evidence{Run: run, Observation: obs}
		ev.Finding = finding.Finding{Class: o.Class(), Oracle: o.Name(), Differences: v.Differences}
		found = append(found, ev)
	}
	return found, nil
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
