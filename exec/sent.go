package exec

import (
	"context"

	"txweave/history"
	"txweave/testcase"
)

// Sent says for which statement of a case something is sent, and as what: the statement itself, its BEGIN or end, or what is read around it.
// Whatever stands between a runner and a database goes by that, and by no text, which may be another one in every form of the case.
type Sent struct {
	Stmt testcase.StmtID // 0: for none of a case
	Role history.Role
	Nth  int // of those of the role
}

// sentKey is the key of what a context says is sent.
type sentKey struct{}

// in is the context in which it is sent.
func (x Sent) in(ctx context.Context) context.Context {
	if x.Stmt == 0 {
		return ctx
	}
	return context.WithValue(ctx, sentKey{}, x)
}

// SentIn says what is sent in a context; nothing of a case where that does not tell.
func SentIn(ctx context.Context) Sent {
	x, _ := ctx.Value(sentKey{}).(Sent)
	return x
}
