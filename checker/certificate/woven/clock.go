package woven

import (
	"fmt"
	"txweave/history"

	"txweave/checker/certificate"
	"txweave/history/register"
)

// Stamp is one version of a row, as the store of a database with a clock holds it: when the transaction that wrote it
// started, and its vkey or sdg.Dead.
type Stamp struct {
	Start uint64
	State history.State
}

// Clock is the Certifier of a database that tells the times of a run (TiDB): the probes say what the transactions saw and
// wrote, the database when they began and committed, at which time each statement read, and which versions each row has
// had.
type Clock struct {
	Run           *Run
	Start, Commit []uint64 // by transaction of the run; 0: not known
	Read          []uint64 // by statement
	// Versions are those of the rows that changed, oldest first; nil: they came in the order of the commits.
	Versions map[history.Item][]Stamp
}

// Certify implements certificate.Certifier, for the history of the run.
func (c *Clock) Certify(h *register.History) (*certificate.Certificate, error) {
	r := c.Run
	if h != r.h {
		return nil, fmt.Errorf("the database's times are of another history")
	}
	times := make([]certificate.Times, len(h.Txns))
	ours := map[uint64]bool{}
	for t, start := range c.Start {
		times[t+1] = certificate.Times{Start: int64(start), Commit: int64(c.Commit[t])}
		ours[start] = start != 0
	}
	out, err := (&certificate.Clock{Source: "timestamps", Times: times}).Certify(h)
	if err != nil {
		return nil, err
	}
	for _, item := range r.items {
		stamps, known := c.Versions[item]
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
				out.Order[key] = append(out.Order[key], r.value(key, s.State))
			}
		}
	}
	out.Tables = r.c.Tables
	for i, p := range r.c.Predicates {
		if at := c.Read[r.ops[i]]; at != 0 {
			p.Seen, p.AsOf = nil, int64(at)
		}
		out.Predicates = append(out.Predicates, p)
	}
	return out, nil
}

// Settled is Certify's certificate, settled as that of the run is.
func (c *Clock) Settled() (*certificate.Certificate, error) {
	out, err := c.Certify(c.Run.h)
	if err != nil {
		return nil, err
	}
	return c.Run.settle(out), nil
}
