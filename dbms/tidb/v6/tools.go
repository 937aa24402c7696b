//go:build tools

// Package v6 names the TiDB server 6.1.1, which has real bugs to find again. Nothing else depends on it; it needs Go
// 1.19:
//
//	GOTOOLCHAIN=go1.19.13 CGO_ENABLED=0 go build -o /opt/tidb-6.1.1 github.com/pingcap/tidb/tidb-server
package v6

import _ "github.com/pingcap/tidb/tidb-server"
