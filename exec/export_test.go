package exec

import "context"

// TestServers and TestOpen are the DBMSs by name, for the package's own tests.
var (
	TestServers = map[string]*Server{}
	TestOpen    = map[string]func(context.Context) (Target, error){}
)
