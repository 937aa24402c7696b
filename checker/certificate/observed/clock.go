package observed

import (
	"fmt"

	"txweave/checker/certificate"
	"txweave/history/register"
)

// RunClock is the Issuer of a database that tells the times of a run: the probes say what the transactions saw
// and wrote, the database when they began and committed, at which time each statement read, and which versions each row
// has had; where it does not say that, they came in the order of the commits.
type RunClock struct{ Run *CertifiedRun }

// Certify implements certificate.Issuer, for the history of the run.
func (c *RunClock) Certify(h *register.History) (*certificate.Certificate, error) {
	r := c.Run
	if h != r.h {
		return nil, fmt.Errorf("the database's times are of another history")
	}
	times := make([]certificate.Times, len(h.Txns))
	ours := map[uint64]bool{}
	for i, t := range r.run.Txns {
		times[i+1] = certificate.Times{Start: int64(t.Start), Commit: int64(t.Commit)}
		ours[t.Start] = t.Start != 0
	}
	out, err := (&certificate.CommitClock{Source: "timestamps", Times: times}).Certify(h)
	if err != nil {
		return nil, err
	}
	for _, item := range r.items {
		stamps, known := r.run.Versions[item]
		if !known {
			continue
		}
		key := r.chains[item].key
		out.Order[key] = nil
		if v, there := r.run.Initial[item.Table][item.PKey]; there {
			out.Order[key] = append(out.Order[key], v)
		}
		for _, s := range stamps {
			if ours[s.Start] { // else it is from before the run
				out.Order[key] = append(out.Order[key], int64(s.State))
			}
		}
	}
	out.Tables, out.NotChecked = r.c.Tables, r.c.NotChecked
	for i, p := range r.c.Predicates {
		if at := r.run.Stmts[r.ops[i]].Read; at != 0 {
			p.Seen, p.AsOf = nil, int64(at)
		}
		out.Predicates = append(out.Predicates, p)
	}
	return out, nil
}

// Settled is Certify's certificate, settled as that of the run is.
func (c *RunClock) Settled() (*certificate.Certificate, error) {
	out, err := c.Certify(c.Run.h)
	if err != nil {
		return nil, err
	}
	return c.Run.settle(out), nil
}
