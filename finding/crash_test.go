package finding

import (
	"testing"

	"txweave/fault"
	"txweave/history"
)

func TestCrashSite(t *testing.T) {
	for name, tc := range map[string]struct{ log, want string }{
		"mariadb": {`2026-01-01 10:00:00 0 [Note] ready for connections
Thread pointer: 0x7f2a4c000c58
/usr/sbin/mariadbd(my_print_stacktrace+0x2e)[0x55d0e1e6a1de]
/usr/sbin/mariadbd(handle_fatal_signal+0x3d3)[0x55d0e1955a13]
/lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f2a5e45b050]
/usr/sbin/mariadbd(_ZN4JOIN15optimize_stage2Ev+0x1a2)[0x55d0e17a2c12]
/usr/sbin/mariadbd(_ZN4JOIN8optimizeEv+0x4b)[0x55d0e17a7b2b]
/usr/sbin/mariadbd(_Z12mysql_selectP3THDP10TABLE_LISTR4ListI4ItemE+0xd2)[0x55d0e17a8a22]
/usr/sbin/mariadbd(_Z13handle_selectP3THDP3LEXP13select_resultm+0x154)[0x55d0e17a9354]
`, "JOIN::optimize_stage2<JOIN::optimize<mysql_select"},
		"mariadb, debug": {`sql/signal_handler.cc:238(handle_fatal_signal)[0x5583a1f]
sql/sql_select.cc:4567(JOIN::exec_inner())[0x5583a2f]
sql/sql_select.cc:4400(JOIN::exec())[0x5583a3f]
`, "JOIN::exec_inner<JOIN::exec"},
		"mysql 9": {`Thread pointer: 0x7f6e9c001000
 #0 0x55b5d2f1a3c1 <unknown> at /build/mysql/sql/x.cc:12
 #1 0x55b5d2f1a3c1 print_fatal_signal(int) at ../sql/signal_handler.cc:123
 #2 0x55b5d2f1a3c2 Item_func_case::val_int() at ../sql/item_cmpfunc.cc:77
 #3 0x55b5d2f1a3c3 FilterIterator::Read() at ../sql/iterators/composite.cc:9
`, "Item_func_case::val_int<FilterIterator::Read"},
		"go": {`panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x5d1c2f]

goroutine 7 [running]:
runtime.panicmem(...)
	/usr/lib/go/src/runtime/panic.go:262
modernc.org/sqlite/lib._sqlite3VdbeExec(0xc000110000, 0x7f0)
	/root/go/pkg/mod/modernc.org/sqlite@v1.60.1/lib/sqlite.go:8811 +0x1a2f
modernc.org/sqlite.(*conn).step(0xc000010000)
	/root/x.go:1
`, "modernc.org/sqlite/lib._sqlite3VdbeExec<modernc.org/sqlite.(*conn).step"},
		"go, caught": {`READY /dev/shm/s1/sock
[2026/11/25 18:20:00.000 +00:00] [ERROR] [conn.go:1042] ["connection running loop panic"] [err="another one"] [stack="runtime.gopanic\n\t/go/panic.go:1\ngithub.com/pingcap/tidb/pkg/x.F\n\t/x.go:1"]
[2026/11/25 18:24:56.084 +00:00] [ERROR] [conn.go:1042] ["connection running loop panic"] [conn=2] [lastSQL="SELECT 1"] [err="runtime error: index out of range [-1]"] ` +
			`[stack="github.com/pingcap/tidb/pkg/server.(*clientConn).Run.func1\n\t/pkg/server/conn.go:1045\nruntime.gopanic\n\t/go/panic.go:860\n` +
			`github.com/pingcap/tidb/pkg/executor.(*Compiler).Compile.func1\n\t/compiler.go:59\nruntime.gopanic\n\t/go/panic.go:860\nruntime.panicBounds64\n\t/go/panic.go:236\n` +
			`github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildExpand\n\t/logical_plan_builder.go:160\ngithub.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildSelect\n\t/l.go:3913\n` +
			`github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).Build\n\t/planbuilder.go:549\ngithub.com/pingcap/tidb/pkg/planner.optimize\n\t/optimize.go:493"]
`, "github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildExpand<" +
			"github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildSelect<github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).Build"},
		"go, an error with its stack": {
			`[2026/11/25 18:20:00.000 +00:00] [ERROR] [x.go:1] ["no lease"] [stack="github.com/pingcap/tidb/pkg/x.F\n\t/x.go:1"]`, ""},
		"assertion": {
			"mysqld: /build/sql/field.cc:1234: virtual int Field::store(): Assertion `table->write_set' failed.\n",
			"Assertion `table->write_set' failed"},
		"message": {"panic: cannot open /tmp/txweave-12/case.db: 17 of 'x'\n",
			"panic: cannot open case.db: N of ?"},
		"nothing": {"ready for connections\n", ""},
	} {
		if got := crashSite(tc.log); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestSign(t *testing.T) {
	for _, tc := range []struct {
		f    Finding
		want string
	}{
		{Finding{Class: ClassReplay, Differences: []Difference{{Stmt: "T0.S1", Kind: "SELECT", What: fault.Rows},
			{What: fault.Final}}}, "replay-difference/SELECT:rows"},
		{Finding{Class: ClassReplay, Differences: []Difference{{What: fault.Final, Table: "t0"}}}, "replay-difference/final"},
		{Finding{Class: ClassReplay, Differences: []Difference{{Kind: "INSERT", What: fault.Error, Transaction: Answered(nil),
			Replay: Answered(&history.DBError{Code: 1062, Message: "Duplicate entry '7'"})}}},
			"replay-difference/INSERT:error(none,1062)"},
		{Finding{Class: ClassIsolation, Differences: []Difference{{What: "G1c"}, {What: "G2-item"}}},
			"isolation-violation/G1c"},
		{Finding{Class: ClassCrash, Log: "panic: at 5"}, "crash/panic: at N"},
		{Finding{Class: ClassCrash}, "crash"},
	} {
		tc.f.Sign()
		if tc.f.Signature != tc.want {
			t.Errorf("%+v: %s, want %s", tc.f, tc.f.Signature, tc.want)
		}
	}
}

// TestCrashedIn: a crash is titled by the function in which the server ended, where its stack is known.
func TestCrashedIn(t *testing.T) {
	for signature, want := range map[string]string{
		"crash": "", "crash/panic: at N": "", "hang/a" + betweenFrames + "b": "",
		"crash/Item_func::val_int" + betweenFrames + "JOIN::exec":                                  "Item_func::val_int",
		"crash/github.com/pingcap/tidb/pkg/kv.IntHandle.EncodedCol" + betweenFrames + "x/y.(*z).a": "kv.IntHandle.EncodedCol",
	} {
		if got := (&Finding{Signature: signature}).CrashedIn(); got != want {
			t.Errorf("%s: %q, want %q", signature, got, want)
		}
	}
}
