package mysqlwire

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
)

// TestNeutral: what somebody has set of a server of the user's, or has it send to each session, does not change what a
// case means there.
func TestNeutral(t *testing.T) {
	settings := map[string]string{"autocommit": "0", "sql_select_limit": "1", "sql_safe_updates": "1", "tx_read_only": "1",
		"auto_increment_increment": "7", "completion_type": "2",
		"max_join_size": "1", "wait_timeout": "60", "query_cache_type": "1", "max_error_count": "0", "lc_messages": "'de_DE'"}
	db := own(t)
	for name, value := range settings {
		if err := db.Connection.Must(t.Context(), "SET GLOBAL "+name+" = "+value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.dial(t.Context(), "") // a private server's, which nobody sets
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Read(t.Context(), "SELECT @@sql_select_limit"); err != nil || r.Cell(0, 0).String() != "1" {
		t.Fatalf("the settings do not show: %v", err)
	}
	if err := neutralize(t.Context(), s, db.kind.Neutral); err != nil {
		t.Fatal(err)
	}
	r, err := s.Read(t.Context(), "SELECT "+
		"@@autocommit, @@sql_select_limit, @@sql_safe_updates, @@tx_read_only, @@auto_increment_increment, "+
		"@@completion_type, "+
		"@@sql_big_selects, @@wait_timeout, @@query_cache_type, @@max_error_count, @@lc_messages UNION SELECT "+
		"0,0,0,0,0,0,0,0,0,0,0")
	if err != nil || r.Len() != 2 {
		t.Fatal(err)
	}
	for i, want := range []string{"1", "18446744073709551615", "0", "0", "1", "NO_CHAIN", "1", "28800", "OFF",
		"1024", "en_US"} {
		if got := r.Cell(0, i).String(); got != want && got != "'"+want+"'" {
			t.Errorf("setting %d is %s, want %s", i, got, want)
		}
	}
}

// TestNeutralAlready: what is as it must be is not set: TiDB before 6.2 lets nobody set lc_messages.
func TestNeutralAlready(t *testing.T) {
	db := own(t)
	s, err := db.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sets := func() int64 {
		r, err := s.Read(t.Context(), "SHOW SESSION STATUS LIKE 'Com_set_option'")
		if err != nil || r.Len() != 1 {
			t.Fatal(r, err)
		}
		n, err := strconv.ParseInt(r.Cell(0, 1).Raw(), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, want := range []int64{2, 1} {
		// what is asked before the others are known; and what a private server's session has otherwise, once
		before := sets()
		if err := neutralize(t.Context(), s, db.kind.Neutral); err != nil {
			t.Fatal(err)
		}
		if got := sets() - before; got != want {
			t.Errorf("%d SET statements, want %d", got, want)
		}
	}
}

// TestRefuse: what no session can set is said, and the server is not used.
func TestRefuse(t *testing.T) {
	for value, refused := range map[string]bool{"ON": true, "OFF": false, "": false} {
		if err := refuse(map[string]string{"innodb_rollback_on_timeout": value}); errors.Is(err,
			exec.ErrUnavailable) != refused {
			t.Errorf("%q: %v", value, err)
		}
	}
	for _, level := range []string{"mariadb/read-committed", "mysql/read-committed"} {
		for _, code := range []int{1158, 1173, 1665, 1835, 3185} {
			// a packet that is cut; primary keys; a binary log of statements; a malformed packet; no keyring
			if class := lookup(t, level).Errors.Classes[code]; class != dbms.Environment {
				t.Errorf("%s: error %d is %v", level, code, class)
			}
		}
	}
}

// TestLockWaitsLost: that who waits cannot be asked is a matter of privileges where the server says so, and not where
// the connection is gone.
func TestLockWaitsLost(t *testing.T) {
	db := own(t)
	s, err := db.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := findLockWaits(t.Context(), s, db.kind, db.About.Version); !errors.Is(err, exec.ErrUnavailable) ||
		strings.Contains(err.Error(), "needs") {
		t.Errorf("%v", err)
	}
}

// TestNeutralEnds: a transaction that somebody has the server begin in each session is over.
func TestNeutralEnds(t *testing.T) {
	db := own(t)
	s, err := db.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Must(t.Context(), "START TRANSACTION READ ONLY"); err != nil {
		t.Fatal(err)
	}
	if err := neutralize(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Read(t.Context(), "SELECT @@in_transaction"); err != nil || r.Cell(0, 0).String() != "0" {
		t.Errorf("a transaction is open: %v", err)
	}
}
