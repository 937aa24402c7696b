package weave

import (
	"txweave/checker/certificate"
	"txweave/checker/certificate/woven"
	"txweave/dbms"
	"txweave/history"
	"txweave/history/register"
	"txweave/observe"
	"txweave/testcase"
)

// Certify runs a case once, as it stands, and returns what happened as a history with its certificate: from the probes, or,
// where the database has a clock, with the times and versions that it gives itself. An order that the case gives is
// passed over. It gives a *RefusedError where the probes do not tell all that was written.
func Certify(r Runner, c *testcase.Case, p *dbms.Profile) (*register.History, *certificate.Certificate, error) {
	plain := *c
	plain.Order = nil
	k, err := newChecker(r, &plain, p, Options{})
	if err != nil {
		return nil, nil, err
	}
	run, err := k.Run(k.plan, k.plan.Steps)
	if err != nil {
		return nil, nil, err
	}
	obs, err := observeRun(k.plan, k.initial, run)
	if err != nil {
		return nil, nil, err
	}
	w, err := woven.New(k.history(obs, run))
	if err != nil {
		return nil, nil, &RefusedError{err}
	}
	cert := w.Settled()
	if run.Certificate != nil {
		if cert, err = clock(w, obs, run.Certificate).Settled(); err != nil {
			return nil, nil, err
		}
	}
	return w.History(), cert, k.matchErr
}

// clock is what the database said of a run.
func clock(w *woven.Run, obs *observation, c *observe.Certificate) *woven.Clock {
	out := &woven.Clock{Run: w, Start: c.Start, Commit: c.Commit}
	for _, b := range obs.blocks {
		out.Read = append(out.Read, c.Read[b])
	}
	if c.Versions != nil {
		out.Versions = map[history.Item][]woven.Stamp{}
		for item, versions := range c.Versions {
			for _, v := range versions {
				out.Versions[item] = append(out.Versions[item], woven.Stamp{Start: v.Start, State: v.State})
			}
		}
	}
	return out
}
