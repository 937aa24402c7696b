package campaign

import (
	"context"
	"time"
)

// untimed is the key of the context that the first time limit was set to.
type untimed struct{}

// Until is ctx with a time limit. Who is handed it can tell by Interrupted whether somebody is waiting, before the time
// is over and after it: a context tells no more than the first reason of its end.
func Until(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	if ctx.Value(untimed{}) == nil {
		ctx = context.WithValue(ctx, untimed{}, ctx)
	}
	return context.WithDeadline(ctx, end)
}

// Interrupted is closed when what Until has set a limit to is ended by somebody; nil where there is no limit of
// Until's.
func Interrupted(ctx context.Context) <-chan struct{} {
	if user, ok := ctx.Value(untimed{}).(context.Context); ok {
		return user.Done()
	}
	return nil
}
