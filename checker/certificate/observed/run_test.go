package observed

import (
	"context"
	"fmt"

	"txweave/checker/certificate"
	"txweave/history"
	"txweave/history/register"
)

// Certify implements certificate.Issuer, for the history that History returns.
func (r *CertifiedRun) Certify(h *register.History) (*certificate.Certificate, error) {
	if h != r.h {
		return nil, fmt.Errorf("the probes know nothing of another history")
	}
	return r.c, nil
}

// Match implements certificate.Matches.
func (r *CertifiedRun) Match(_ context.Context, _ *certificate.Relation, where string, rows [][]history.Value) (
	[]bool, error) {
	return r.match(where, rows)
}
