package woven

import (
	"context"
	"fmt"

	"txweave/checker/certificate"
	"txweave/history"
	"txweave/history/register"
)

// Certify implements certificate.Certifier, for the history that History returns.
func (r *Run) Certify(h *register.History) (*certificate.Certificate, error) {
	if h != r.h {
		return nil, fmt.Errorf("the probes know nothing of another history")
	}
	return r.c, nil
}

// Match implements certificate.Matches.
func (r *Run) Match(_ context.Context, _ *certificate.Table, where string, rows [][]history.Value) ([]bool, error) {
	return r.match(where, rows)
}
