package tidb

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"txweave/exec"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// clock is TiDB's timestamp oracle, as far as a session is told.
var clock = &exec.Clock{
	Ask:      "SELECT @@tidb_last_query_info, @@tidb_last_txn_info",
	Read:     readTimes,
	Past:     func(at uint64) string { return fmt.Sprintf("SET @@tidb_snapshot = '%d'", at) },
	NoPast:   "tikv_gc_safe_point", // a cluster's garbage collection runs for the first time some minutes after its start
	Versions: versions,
}

// stamps is what TiDB says of a session's last statement and last transaction.
type stamps struct {
	Start     uint64 `json:"start_ts"`
	ForUpdate uint64 `json:"for_update_ts"`
	Commit    uint64 `json:"commit_ts"`
}

// readTimes reads the answer to the clock's question.
func readTimes(row []history.Value) (exec.ClockReading, error) {
	var query, txn stamps
	for i, into := range []*stamps{&query, &txn} {
		if row[i].S == "" {
			continue
		}
		if err := json.Unmarshal([]byte(row[i].S), into); err != nil {
			return exec.ClockReading{}, err
		}
	}
	return exec.ClockReading{Start: query.Start, Read: query.ForUpdate, EndedStart: txn.Start, EndedCommit: txn.Commit},
		nil
}

// versions asks the store; version 6.1 does not tell, nor is everybody allowed to ask.
func versions(ctx context.Context, s *exec.Session, t *sqltext.Table, pkeys []int64) (map[int64][]observe.VersionStamp,
	error) {
	parts := make([]string, len(pkeys))
	for i, k := range pkeys {
		parts[i] = fmt.Sprintf("tidb_mvcc_info(tidb_encode_record_key(DATABASE(), '%s', %d))", t.Name, k)
	}
	rows, err := s.Read(ctx, "SELECT "+strings.Join(parts, ", "))
	if err != nil {
		return nil, err
	}
	out := make(map[int64][]observe.VersionStamp, len(pkeys))
	for i, k := range pkeys {
		// The table is new, so that its columns are numbered from 1.
		if out[k], err = parseVersions(rows.Cell(0, i).S, 1+slices.Index(t.Names(), sqltext.VKey)); err != nil {
			return nil, fmt.Errorf("versions of (%s, %d): %w", t.Name, k, err)
		}
	}
	return out, nil
}

// mvccInfo is what the store tells of a row.
type mvccInfo struct {
	Writes []struct {
		Type   int    `json:"type"` // 0 put, 1 delete
		Start  uint64 `json:"start_ts"`
		Commit uint64 `json:"commit_ts"`
	} `json:"writes"`
	Values []struct {
		Start uint64 `json:"start_ts"`
		Value string `json:"value"`
	} `json:"values"`
}

// put reads the state that a version has which was put, from its number in a column.
func (m *mvccInfo) put(v *observe.VersionStamp, column int) error {
	for _, value := range m.Values {
		if value.Start != v.Start {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(value.Value)
		if err != nil {
			return err
		}
		vkey, ok := rowColumn(raw, column)
		if !ok {
			return fmt.Errorf("row value %x has no integer in column %d", raw, column)
		}
		v.State = history.State(vkey)
	}
	return nil
}

// parseVersions reads the answer of tidb_mvcc_info; column is the number of the column vkey.
func parseVersions(text string, column int) ([]observe.VersionStamp, error) {
	var answer []struct {
		MVCC struct {
			Info mvccInfo `json:"info"`
		} `json:"mvcc"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, err
	}
	var out []observe.VersionStamp
	for _, a := range answer {
		for _, w := range a.MVCC.Info.Writes {
			v := observe.VersionStamp{Start: w.Start, Commit: w.Commit, State: history.Dead}
			switch w.Type {
			case 0:
				if err := a.MVCC.Info.put(&v, column); err != nil {
					return nil, err
				}
			case 1:
			default:
				continue // a lock or a rollback leaves no version
			}
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b observe.VersionStamp) int {
		if a.Commit < b.Commit {
			return -1
		}
		return 1
	})
	return out, nil
}

// rowColumn reads an integer column of a row in TiDB's row format v2: version, flags, the numbers of columns with and
// without a value, their ids, where each value ends, the values (TiDB's design document "A new storage row format").
func rowColumn(row []byte, id int) (int64, bool) {
	if len(row) < 6 || row[0] != 128 {
		return 0, false
	}
	values, nulls := int(binary.LittleEndian.Uint16(row[2:])), int(binary.LittleEndian.Uint16(row[4:]))
	idSize, endSize := 1, 2
	if row[1]&1 != 0 { // large
		idSize, endSize = 4, 4
	}
	ends := 6 + (values+nulls)*idSize
	data := ends + values*endSize
	if len(row) < data {
		return 0, false
	}
	number := func(at, size int) int {
		switch size {
		case 1:
			return int(row[at])
		case 2:
			return int(binary.LittleEndian.Uint16(row[at:]))
		}
		return int(binary.LittleEndian.Uint32(row[at:]))
	}
	for i := range values {
		if number(6+i*idSize, idSize) != id {
			continue
		}
		from := 0
		if i > 0 {
			from = number(ends+(i-1)*endSize, endSize)
		}
		to := number(ends+i*endSize, endSize)
		if from > to || data+to > len(row) {
			return 0, false
		}
		switch v := row[data+from : data+to]; len(v) {
		case 1:
			return int64(int8(v[0])), true
		case 2:
			return int64(int16(binary.LittleEndian.Uint16(v))), true
		case 4:
			return int64(int32(binary.LittleEndian.Uint32(v))), true
		case 8:
			return int64(binary.LittleEndian.Uint64(v)), true
		}
		return 0, false
	}
	return 0, false
}
