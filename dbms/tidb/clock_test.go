package tidb

import (
	"reflect"
	"testing"

	"txweave/history"
	"txweave/oracle/observe"
)

// TestParseVersions reads what TiDB 8.5.4 answered for a row that was inserted, updated twice and, another one,
// deleted; the second column is vkey.
func TestParseVersions(t *testing.T) {
	updated := `[{"key":"74","mvcc":{"info":{"writes":[
		{"start_ts":30,"commit_ts":40,"short_value":"gAACAAAAAgMBAAIAZAs="},
		{"start_ts":20,"commit_ts":25,"short_value":"gAACAAAAAgMBAAIABwo="},
		{"start_ts":10,"commit_ts":11,"short_value":"gAACAAAAAgMBAAIAAQo="}],
		"values":[{"start_ts":30,"value":"gAACAAAAAgMBAAIAZAs="},{"start_ts":20,"value":"gAACAAAAAgMBAAIABwo="},{"start_ts":10,"value":"gAACAAAAAgMBAAIAAQo="}]}}}]`
	deleted := `[{"key":"74","mvcc":{"info":{"writes":[{"type":1,"start_ts":30,"commit_ts":40},{"type":3,"start_ts":22,"commit_ts":22},
		{"start_ts":10,"commit_ts":11,"short_value":"gAACAAAAAgMBAAIAAhQ="}],"values":[{"start_ts":30},{"start_ts":10,"value":"gAACAAAAAgMBAAIAAhQ="}]}}}]`
	for text, want := range map[string][]observe.VersionStamp{
		updated: {{Start: 10, Commit: 11, State: 1}, {Start: 20, Commit: 25, State: 7},
			{Start: 30, Commit: 40, State: 100}},
		deleted: {{Start: 10, Commit: 11, State: 2}, {Start: 30, Commit: 40,
			State: history.Dead}},
		`[{"key":"74","mvcc":{"info":{}}}]`: nil,
	} {
		got, err := parseVersions(text, 2)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "{}",
		`[{"mvcc":{"info":{"writes":[{"start_ts":1}],"values":[{"start_ts":1,"value":"gAA="}]}}}]`} {
		if got, err := parseVersions(text, 2); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

// TestRowColumn: both sizes of the row format, integers of every width.
func TestRowColumn(t *testing.T) {
	small := []byte{128, 0, 3, 0, 1, 0, 2, 3, 5, 4, 1, 0, 3, 0, 11, 0, 0xff, 0xe8, 0x03, 1, 0, 0, 0, 0, 0, 0, 0x80}
	for id, want := range map[int]int64{2: -1, 3: 1000, 5: -1<<63 + 1} {
		if got, ok := rowColumn(small, id); !ok || got != want {
			t.Errorf("column %d is %d, %v; want %d", id, got, ok, want)
		}
	}
	if got, ok := rowColumn(small, 4); ok {
		t.Errorf("NULL is %d", got)
	}
	large := []byte{128, 1, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0xa0, 0x86, 0x01, 0}
	if got, ok := rowColumn(large, 2); !ok || got != 100000 {
		t.Errorf("in a large row: %d, %v", got, ok)
	}
	for n := range small {
		rowColumn(small[:n], 5) // must not panic
	}
}
