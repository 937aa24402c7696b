package detect

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/storming"
	"txweave/campaign/target"
	"txweave/dbms/mariadb"
	"txweave/dbms/postgresql"
	"txweave/dbms/sqlite"
	"txweave/exec/planted"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/histories"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
)

var (
	embedded   = servers.Embedded("sqlite", sqlite.Open)
	mariaDB    = servers.Launched("a MariaDB server", mariadb.Server)
	postgreSQL = servers.Launched("a PostgreSQL server", postgresql.Server)
)

func TestMain(m *testing.M) { os.Exit(servers.Run(m, embedded, mariaDB, postgreSQL)) }

// shows says what shows a kind of fault: a planted bug at a level, SQLite's if it is none, in generated cases or in a
// storm of a workload; or a golden, where no database here can be made to.
type shows struct{ bug, level, workload, golden string }

const (
	mechanisms   = "../../oracle/mechanism/testdata/"
	certificates = "../../checker/certificate/testdata/"
)

// shownBy are the anomalies and mechanisms of the catalogue but those of package histories.
var shownBy = map[fault.Kind]shows{
	fault.G0:        {bug: "dirty-write", workload: "random-sql"},
	fault.G1a:       {bug: "aborted-read"},
	fault.G1aDelete: {bug: "rollback-keeps-delete", workload: "random-sql"},
	fault.G1b:       {bug: "intermediate-read"},
	fault.G1c:       {bug: "circular-information-flow"},
	fault.OTV:       {bug: "non-monotonic-read"},
	fault.P2:        {bug: "non-repeatable-read"},
	fault.PMP:       {bug: "non-repeatable-read"},
	fault.GSIaRead:  {bug: "non-repeatable-read"},
	fault.P4:        {bug: "lost-update"},
	fault.GSingle:   {bug: "causality-violation"},
	fault.GSIb:      {bug: "non-repeatable-read", workload: "random-sql"},
	fault.GSIa:      {bug: "non-repeatable-read"},
	fault.G2Item:    {bug: "write-skew"},
	fault.G2:        {bug: "write-skew", workload: "random-sql"},

	fault.StaleRead:        {bug: "stale-snapshot"},
	fault.SessionGuarantee: {bug: "session-guarantee-violation"},
	fault.DirtyRead:        {bug: "dirty-read"},
	fault.NewerRead:        {bug: "non-repeatable-read"},
	fault.OwnWriteMissed:   {bug: "not-my-own-write", workload: "random-sql"},
	fault.ThinAirRead:      {bug: "thin-air-read"},
	fault.UnwrittenVersion: {bug: "thin-air-read", workload: "random-sql"},
	fault.UndoneWrite:      {golden: "../shrink/causes_test.go"},
	fault.MissingRow:       {bug: "lost-row", workload: "random-sql"},
	fault.RowTooMany:       {golden: mechanisms + "predicates"},
	fault.TornRow:          {golden: mechanisms + "predicates"},

	fault.LockConflict:       {bug: "no-row-lock", level: "mariadb/serializable", workload: "random-sql"},
	fault.RowLock:            {bug: "no-row-lock", level: "mariadb/read-committed"},
	fault.TableLock:          {bug: "table-lock-ignored", level: "mariadb/repeatable-read"},
	fault.LockRefused:        {bug: "refused-try", level: "postgresql/serializable"},
	fault.WriteLock:          {bug: "no-write-lock"},
	fault.WriteLockOfNobody:  {bug: "write-lock-of-nobody"},
	fault.ConcurrentUpdate:   {bug: "lost-update", workload: "random-sql"},
	fault.RefusedUpdate:      {bug: "refused-for-no-commit"},
	fault.ConflictCycle:      {bug: "write-skew", workload: "random-sql"},
	fault.DangerousStructure: {bug: "write-skew", level: "postgresql/serializable", workload: "random-sql"},
	fault.TimestampOrder:     {golden: mechanisms + "peers"},
	fault.Validation:         {golden: mechanisms + "certifiers"},
	fault.OrderCycle:         {golden: mechanisms + "isolation"},
	fault.OrderAgainstTime:   {bug: "lost-delete", workload: "random-sql"},

	fault.HistoryNotLinearizable:        {bug: "stale-snapshot", workload: "cas"},
	fault.HistoryDuplicateWrite:         {golden: certificates + "duplicate_write"},
	fault.HistoryStartOrderViolation:    {golden: certificates + "start_order"},
	fault.HistoryExpectedOrderViolation: {golden: certificates + "expected_order"},
	fault.HistoryWrongTotal:             {bug: "lost-row", workload: "bank"},
	fault.HistoryLostElement:            {bug: "lost-insert", workload: "set"},
	fault.HistoryCounterOutOfBounds:     {bug: "lost-commit", workload: "counter"},
}

// TestEveryKind: each anomaly and mechanism of the catalogue is one that txweave histories plants, that a planted bug
// shows, or that a golden has. Those of Jepsen's workloads are held by their checkers' own test.
func TestEveryKind(t *testing.T) {
	written := map[fault.Kind]bool{}
	for _, a := range histories.Anomalies() {
		written[a.Kind] = true
		if e := fault.Of(a.Kind); e.Same != "" {
			written[e.Same] = written[e.Same] || e.Same == fault.OwnLaterWrite // which no oracle of cases and storms says
		}
	}
	classes := []fault.Branch{fault.Isolation, fault.Snapshot, fault.Mechanism, fault.History}
	for _, e := range fault.All() {
		s, known := shownBy[e.Kind]
		switch {
		case !slices.Contains(classes, e.Class) || written[e.Kind] && !known:
		case !known && !strings.HasPrefix(e.Source, "Jepsen's workload"):
			t.Errorf("%s: nothing is said to show it", e.Kind)
		case s.golden != "":
			text, err := os.ReadFile(s.golden)
			if err != nil || !regexp.MustCompile(`\b`+string(e.Kind)+`\b`).Match(text) {
				t.Errorf("%s is not in %s: %v", e.Kind, s.golden, err)
			}
		case known:
			t.Run(string(e.Kind), func(t *testing.T) { s.show(t, e.Kind) })
		}
	}
}

// show runs cases, or longer and longer storms, until one shows the kind.
func (s shows) show(t *testing.T, kind fault.Kind) {
	faults, err := target.Faults([]string{s.bug})
	if err != nil {
		t.Fatal(err)
	}
	effort.Full(t)
	db, level := embedded, "sqlite/serializable"
	switch dbms, _, _ := strings.Cut(s.level, "/"); dbms {
	case "mariadb":
		db, level = mariaDB, s.level
	case "postgresql":
		db, level = postgreSQL, s.level
	}
	p := servers.Level(t, level, "")
	var seen []string
	told := func(text string) bool {
		seen = append(seen, text)
		return regexp.MustCompile(`(^|[^\w-])` + string(kind) + `($|[^\w-])`).MatchString(text)
	}
	if s.workload == "" {
		src, err := casesource.NewCases(1, p, planted.Without(p)...)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		_, err = EachResult(t.Context(), planted.PlantAlways(db.Target(t), faults[0]), p, src, 1000,
			func(res *campaign.CaseResult) bool {
				found = slices.ContainsFunc(res.Findings, func(f campaign.Found) bool { return told(f.Signature) })
				return !found
			})
		if err != nil || !found {
			t.Errorf("%v; found are %q", err, slices.Compact(slices.Sorted(slices.Values(seen))))
		}
		return
	}
	c := storming.Default()
	c.Workload, c.Keys, c.Target.Target, c.Target.Isolation = s.workload, 20, p.DBMS, p.Isolation
	for c.Duration = time.Second; c.Duration < time.Minute; c.Duration *= 2 {
		storm, err := c.Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, herr, err := storm.Run(t.Context(), planted.PlantAlways(db.Target(t), faults[0]))
		if herr != nil || err != nil {
			t.Fatal(herr, err)
		}
		if slices.ContainsFunc(a.Findings, func(f finding.Listed) bool { return told(f.Signature + " " + f.Summary) }) {
			return
		}
	}
	t.Errorf("found are %q", slices.Compact(slices.Sorted(slices.Values(seen))))
}
