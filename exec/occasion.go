package exec

import (
	"context"

	"txweave/history"
	"txweave/testcase"
)

// Occasion is what something is sent for: which statement of a case, and whether it is that statement, its
// transaction's BEGIN or end, or a read around it. Whatever stands between a runner and a database goes by the occasion
// and by no text, as that may be another one in every form of the case.
type Occasion struct {
	Stmt testcase.StmtID // 0: for none of a case
	Role history.Role
	Nth  int // of those of the role
}

// occasionKey is the key of the occasion in a context.
type occasionKey struct{}

// in is the context in which something is sent on the occasion.
func (x Occasion) in(ctx context.Context) context.Context {
	if x.Stmt == 0 {
		return ctx
	}
	return context.WithValue(ctx, occasionKey{}, x)
}

// OccasionIn is the occasion on which something is sent in a context; one of no case where that does not tell.
func OccasionIn(ctx context.Context) Occasion {
	x, _ := ctx.Value(occasionKey{}).(Occasion)
	return x
}
