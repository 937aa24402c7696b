package exec

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"txweave/dbms"
	"txweave/observe"
	"txweave/sqltext"

	"txweave/history"
	"txweave/instrument"
)

// Stamps are the times of a transaction by the database's own clock; 0 is one that it did not give, as there is no
// commit of what wrote nothing.
type Stamps struct{ Start, Commit uint64 }

// Stamps returns the times of the session's last transaction, which must have committed.
func (s *Session) Stamps(ctx context.Context) (Stamps, error) {
	if s.dialect.stamps == "" {
		return Stamps{}, errors.New("the database has no clock of its own")
	}
	rows, err := s.Read(ctx, s.dialect.stamps)
	if err != nil {
		return Stamps{}, err
	}
	query, txn, err := parseStamps(rows.Row(0))
	if err != nil {
		return Stamps{}, err
	}
	out := Stamps{Start: query.Start}
	if txn.Start == query.Start { // else it is an earlier one's: this one wrote nothing
		out.Commit = txn.Commit
	}
	return out, nil
}

// parseStamps reads the answer to tidbStamps.
func parseStamps(row []history.Value) (query, txn stamps, err error) {
	for i, into := range []*stamps{&query, &txn} {
		if row[i].S == "" {
			continue
		}
		if err := json.Unmarshal([]byte(row[i].S), into); err != nil {
			return query, txn, err
		}
	}
	return query, txn, nil
}

// stamps is what TiDB says of a session's last statement and last transaction.
type stamps struct {
	Start     uint64 `json:"start_ts"`
	ForUpdate uint64 `json:"for_update_ts"`
	Commit    uint64 `json:"commit_ts"`
}

// tidbStamps asks for both.
const tidbStamps = "SELECT @@tidb_last_query_info, @@tidb_last_txn_info"

// stamp files the timestamps that followed a target or the end of a transaction.
func (s *runState) stamp(t *track, e *history.Event, row []history.Value) error {
	if len(row) != 2 {
		return nil
	}
	query, txn, err := parseStamps(row)
	if err != nil {
		return fmt.Errorf("timestamps after %s: %w", clip(e.Text), err)
	}
	c := s.out.Certificate
	if c == nil {
		n := len(s.plan.Txns)
		c = &observe.Certificate{Start: make([]uint64, n), Commit: make([]uint64, n), Read: map[*observe.BlockRun]uint64{}}
		s.out.Certificate = c
	}
	switch e.Role {
	case history.Target:
		c.Start[t.txn] = query.Start
		c.Read[t.unit.run] = query.ForUpdate
		if t.unit.block.View == dbms.Snapshot {
			c.Read[t.unit.run] = query.Start
		}
	case history.End:
		if txn.Start == c.Start[t.txn] { // else it is an earlier one's: this one wrote nothing
			c.Commit[t.txn] = txn.Commit
		}
	}
	return nil
}

// certify completes the certificate when the run is over.
func (s *runState) certify() error {
	c := s.out.Certificate
	c.Snapshots = make([]map[string]map[int64]int64, len(s.plan.Txns))
	if err := s.versions(c); err != nil {
		return err
	}
	past, err := s.target.Observe(s.ctx, ReadCommitted)
	if err != nil {
		return err
	}
	defer past.Close()
	for i := range s.plan.Txns {
		plain := slices.ContainsFunc(s.plan.Txns[i].Blocks, func(b *instrument.Block) bool { return b.View == dbms.Snapshot })
		if !plain || c.Start[i] == 0 {
			continue
		}
		if err := past.Must(s.ctx, fmt.Sprintf("SET @@tidb_snapshot = '%d'", c.Start[i])); err != nil {
			return s.classify(err)
		}
		c.Snapshots[i] = map[string]map[int64]int64{}
		for _, t := range s.plan.Schema.Tables {
			rows, err := past.Read(s.ctx, fmt.Sprintf("SELECT %s, %s FROM %s", sqltext.PKey, sqltext.VKey, t.Name))
			if err != nil {
				return s.classify(err)
			}
			c.Snapshots[i][t.Name] = keyed(rows)
		}
	}
	return nil
}

// keyed reads the columns pkey and vkey, wherever they are.
func keyed(rows *history.Rows) map[int64]int64 {
	p, v := slices.Index(rows.Columns, sqltext.PKey), slices.Index(rows.Columns, sqltext.VKey)
	out := make(map[int64]int64, rows.Len())
	for i := range rows.Len() {
		pkey, _ := rows.Row(i)[p].Int64()
		vkey, _ := rows.Row(i)[v].Int64()
		out[pkey] = vkey
	}
	return out
}

// versions asks the store for the versions of every item that changed or was written.
func (s *runState) versions(c *observe.Certificate) error {
	c.Versions = map[history.Item][]observe.VersionStamp{}
	for _, t := range s.plan.Schema.Tables {
		before, after := keyed(s.initial[t.Name]), keyed(s.out.Final[t.Name])
		var keys []int64
		add := func(rows map[int64]int64, than map[int64]int64) {
			for pkey, vkey := range rows {
				if old, there := than[pkey]; (!there || old != vkey) && !slices.Contains(keys, pkey) {
					keys = append(keys, pkey)
				}
			}
		}
		add(before, after)
		add(after, before)
		for _, b := range s.out.Blocks {
			if b.AWR != nil && b.AWR.Rows != nil && b.Block.Info.Target == t.Name && !b.Block.Info.Diff {
				add(keyed(b.AWR.Rows), before)
			}
		}
		slices.Sort(keys)
		for chunk := range slices.Chunk(keys, 40) {
			if err := s.versionsOf(c, t, chunk); err != nil {
				var answer *AnswerError
				if errors.As(err, &answer) { // version 6.1, or a user who may not ask
					c.Versions = nil
					return nil
				}
				return err
			}
		}
	}
	return nil
}

func (s *runState) versionsOf(c *observe.Certificate, t *sqltext.Table, keys []int64) error {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("tidb_mvcc_info(tidb_encode_record_key(DATABASE(), '%s', %d))", t.Name, k)
	}
	rows, err := s.committed.Read(s.ctx, "SELECT "+strings.Join(parts, ", "))
	if err != nil {
		return err
	}
	for i, k := range keys {
		// The table is new, so that its columns are numbered from 1.
		versions, err := parseVersions(rows.Row(0)[i].S, 1+slices.Index(t.Names(), sqltext.VKey))
		if err != nil {
			return fmt.Errorf("versions of (%s, %d): %w", t.Name, k, err)
		}
		c.Versions[history.Item{Table: t.Name, PKey: k}] = versions
	}
	return nil
}

// parseVersions reads the answer of tidb_mvcc_info; column is the number of the column vkey.
func parseVersions(text string, column int) ([]observe.VersionStamp, error) {
	var answer []struct {
		MVCC struct {
			Info struct {
				Writes []struct {
					Type   int    `json:"type"` // 0 put, 1 delete
					Start  uint64 `json:"start_ts"`
					Commit uint64 `json:"commit_ts"`
				} `json:"writes"`
				Values []struct {
					Start uint64 `json:"start_ts"`
					Value string `json:"value"`
				} `json:"values"`
			} `json:"info"`
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
				for _, value := range a.MVCC.Info.Values {
					if value.Start != w.Start {
						continue
					}
					raw, err := base64.StdEncoding.DecodeString(value.Value)
					if err != nil {
						return nil, err
					}
					vkey, ok := rowColumn(raw, column)
					if !ok {
						return nil, fmt.Errorf("row value %x has no integer in column %d", raw, column)
					}
					v.State = history.State(vkey)
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
