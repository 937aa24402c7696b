package weave

import (
	"txweave/checker/certificate"
	"txweave/checker/certificate/observed"
	"txweave/dbms"
	"txweave/history/register"
	"txweave/testcase"
)

// Certify runs a case once, as it stands, and returns what happened as a history with its certificate: from the probes,
// or, where the database has a clock, with the times and versions that it gives itself. An order that the case gives is
// passed over. It gives a *RefusedError where the probes do not tell all that was written.
func Certify(r Runner, c *testcase.Case, p *dbms.Profile) (*register.History, *certificate.Certificate, error) {
	plain := *c
	plain.Order = nil
	k, err := newChecker(r, &plain, p, Options{})
	if err != nil {
		return nil, nil, err
	}
	run, obs, err := k.watch(k.plan.Steps)
	if err != nil {
		return nil, nil, err
	}
	w, err := observed.New(obs)
	if err != nil {
		return nil, nil, &UnjudgeableError{Reason: err}
	}
	cert := w.Settled()
	if run.Certificate != nil {
		if cert, err = (&observed.RunClock{Run: w}).Settled(); err != nil {
			return nil, nil, err
		}
	}
	return w.History(), cert, k.matchErr
}
