// Command server is a TiDB in one process: the SQL layer on unistore, TiDB's own in-process store, with its data in
// memory and its port a unix socket. txweave builds it on demand, starts one for each worker and kills it.
//
// It is a module of its own, so that txweave's does not depend on TiDB.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"time"

	"github.com/pingcap/tidb/pkg/config"
	"github.com/pingcap/tidb/pkg/ddl"
	"github.com/pingcap/tidb/pkg/executor"
	"github.com/pingcap/tidb/pkg/kv"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/resourcemanager"
	"github.com/pingcap/tidb/pkg/server"
	"github.com/pingcap/tidb/pkg/session"
	"github.com/pingcap/tidb/pkg/sessionctx/variable"
	"github.com/pingcap/tidb/pkg/store/mockstore"
	"github.com/pingcap/tidb/pkg/util/logutil"
	"github.com/pingcap/tidb/pkg/util/memory"
)

// release is what go.mod pins: the version that the server calls itself.
const release = "v8.5.4"

// schemaLease is how often the server looks for changes of the schema by others; there are none.
const schemaLease = time.Second

func main() {
	log.SetFlags(0)
	log.SetPrefix("tidb: ")
	socket := flag.String("socket", "", "path of the unix socket to listen on")
	path := flag.String("path", "", "directory of the store; below $TMPDIR/tidb-unistore-temp the store syncs nothing")
	level := flag.String("L", "fatal", "log level")
	printVersion := flag.Bool("V", false, "print the version and exit")
	flag.Parse()
	mysql.TiDBReleaseVersion = release
	mysql.ServerVersion = "8.0.11-TiDB-" + release
	variable.SetSysVar(variable.Version, mysql.ServerVersion)
	if *printVersion {
		fmt.Println("Release Version:", release)
		return
	}
	go orphaned(os.Getppid())
	if err := serve(*socket, *path, *level); err != nil {
		log.Fatal(err)
	}
}

// serve boots the server and serves until it is killed.
func serve(socket, path, level string) error {
	if socket == "" {
		return errors.New("-socket is missing")
	}
	cfg := configure(socket, level)
	if err := logutil.InitLogger(cfg.Log.ToLogConfig()); err != nil {
		return err
	}
	memory.InitMemoryHook()
	session.SetSchemaLease(schemaLease)
	session.SetStatsLease(0) // statistics, and so plans, do not change under a case
	variable.EnableRCReadCheckTS.Store(cfg.Instance.TiDBRCReadCheckTS)
	store, err := mockstore.NewMockStore(mockstore.WithPath(path), mockstore.WithStoreType(mockstore.EmbedUnistore))
	if err != nil {
		return fmt.Errorf("unistore: %w", err)
	}
	executor.Start()
	resourcemanager.InstanceResourceManager.Start()
	if err := ddl.StartOwnerManager(context.Background(), store); err != nil {
		return fmt.Errorf("schema owner: %w", err)
	}
	domain, err := session.BootstrapSession(store)
	if err != nil {
		return fmt.Errorf("bootstrap: %w", err)
	}
	if err := frugal(store); err != nil {
		return err
	}
	srv, err := server.NewServer(cfg, server.NewTiDBDriver(store))
	if err != nil {
		return err
	}
	srv.SetDomain(domain)
	domain.InfoSyncer().SetSessionManager(srv)
	go announce(socket)
	return srv.Run(domain)
}

// frugal keeps the heap small: TiDB's own tuner lets it grow to a share of the machine's memory before it is collected.
func frugal(store kv.Storage) error {
	s, err := session.CreateSession(store)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx := kv.WithInternalSourceType(context.Background(), kv.InternalTxnOthers)
	if _, err := s.ExecuteInternal(ctx, "SET GLOBAL tidb_enable_gogc_tuner = OFF"); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	debug.SetGCPercent(50)
	return nil
}

// configure fills in the global configuration.
func configure(socket, level string) *config.Config {
	cfg := config.NewConfig()
	cfg.Host, cfg.Port, cfg.Socket = "", 0, socket
	cfg.Store = "unistore"
	cfg.Status.ReportStatus = false
	cfg.Log.Level = level
	cfg.Log.EnableSlowLog.Store(false)
	cfg.Instance.EnableSlowLog.Store(false)
	cfg.Performance.ForceInitStats = false // else the port never opens without statistics
	cfg.Performance.RunAutoAnalyze = false
	cfg.TiKVClient.CoprCache.CapacityMB = 0
	cfg.EnableTelemetry = false
	cfg.SplitTable = false
	config.StoreGlobalConfig(cfg)
	return cfg
}

// orphaned ends the server when the process that started it has ended.
func orphaned(parent int) {
	for os.Getppid() == parent {
		time.Sleep(500 * time.Millisecond)
	}
	os.Exit(0)
}

// announce prints READY and the socket once the server listens.
func announce(socket string) {
	for {
		if _, err := os.Stat(socket); err == nil {
			fmt.Println("READY", socket)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
