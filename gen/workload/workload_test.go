package workload

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/history"
	clients "txweave/history/workload"
)

// model answers a workload's statements from memory, and writes them down.
type model struct {
	t       rapid.TB
	w       *Workload
	rows    []map[int64]Row
	version int64
	log     strings.Builder
	read    map[[2]int64]bool // table, key: in the open transaction
	lists   map[int64][]int64
	calls   []clients.Call
	sent    []*Generated
	wrong   []string
}

func (m *model) Whole() bool { return true }

func (m *model) Violates(what string) { m.wrong = append(m.wrong, what) }

func newModel(t rapid.TB, w *Workload) *model {
	m := &model{t: t, w: w, lists: map[int64][]int64{}}
	for _, table := range w.Tables {
		rows := map[int64]Row{}
		for key := range table.Rows {
			rows[int64(key)] = Row{Key: int64(key), Value: table.Initial}
		}
		m.rows = append(m.rows, rows)
	}
	return m
}

func (m *model) note(format string, args ...any) { fmt.Fprintf(&m.log, format+"\n", args...) }

func (m *model) Get(table int, key int64, lock bool) (Row, bool, error) {
	m.note("get %d %d %v", table, key, lock)
	m.read[[2]int64{int64(table), key}] = true
	r, ok := m.rows[table][key]
	m.mustExist(ok)
	return r, ok, nil
}

// mustExist fails a workload of registers that misses one.
func (m *model) mustExist(ok bool) {
	if !ok && m.w.Kind != Relational && m.w.Kind != Lists && m.w.Name != "lwt" {
		m.t.Fatalf("%s uses a row that is not there:\n%s", m.w.Name, m.log.String())
	}
}

func holds(w Where, v int64) bool {
	yes, _ := w.Means.Holds(history.PayloadOf(v))
	return yes
}

func (m *model) matching(table int, lo, hi int64, where Where) []Row {
	if m.w.Kind != Relational && !m.w.Kind.Claims() {
		m.t.Fatalf("%s reads a range", m.w.Name)
	}
	var out []Row
	for key, r := range m.rows[table] {
		if key >= lo && key <= hi && (where.Means == nil || holds(where, r.Value)) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b Row) int { return int(a.Key - b.Key) })
	return out
}

func (m *model) Scan(table int, lo, hi int64, where Where, lock bool) ([]Row, error) {
	m.note("scan %d %d-%d %q %v", table, lo, hi, where, lock)
	return m.matching(table, lo, hi, where), nil
}

func (m *model) set(table int, key, value int64) {
	m.version++
	m.rows[table][key] = Row{Key: key, Version: m.version, Value: value}
}

func (m *model) Put(table int, key, value int64) (bool, error) {
	m.note("put %d %d %d", table, key, value)
	_, ok := m.rows[table][key]
	m.mustExist(ok)
	if m.w.Kind == MiniTransaction && !m.read[[2]int64{int64(table), key}] {
		m.t.Fatalf("a mini-transaction writes what it has not read:\n%s", m.log.String())
	}
	if ok {
		m.set(table, key, value)
	}
	return ok, nil
}

func (m *model) PutRange(table int, lo, hi int64, where Where, add int64) (int, error) {
	m.note("putrange %d %d-%d %q %d", table, lo, hi, where, add)
	rows := m.matching(table, lo, hi, where)
	for _, r := range rows {
		m.set(table, r.Key, r.Value+add)
	}
	return len(rows), nil
}

func (m *model) Insert(table int, key, value int64) (bool, error) {
	m.note("insert %d %d %d", table, key, value)
	if _, ok := m.rows[table][key]; ok {
		return false, nil
	}
	m.set(table, key, value)
	return true, nil
}

func (m *model) Delete(table int, key int64) (bool, error) {
	m.note("delete %d %d", table, key)
	_, ok := m.rows[table][key]
	delete(m.rows[table], key)
	return ok, nil
}

func (m *model) Append(table int, key int64) (bool, error) {
	m.note("append %d %d", table, key)
	if _, ok := m.rows[table][key]; !ok {
		return false, nil
	}
	m.set(table, key, 0)
	m.lists[key] = append(m.lists[key], m.version)
	return true, nil
}

func (m *model) List(table int, key int64) ([]int64, error) {
	m.note("list %d %d", table, key)
	return m.lists[key], nil
}

func (m *model) Send(s *Generated) error {
	m.note("send %s", s.SQL)
	m.sent = append(m.sent, s)
	return nil
}

func (m *model) Did(object int64, call clients.Call, statements int) {
	call.Outcome = history.Committed
	m.calls = append(m.calls, call)
}

func (m *model) CompareAndSet(table int, key, version, value int64) (bool, error) {
	m.note("cas %d %d %d->%d", table, key, version, value)
	r, ok := m.rows[table][key]
	m.mustExist(ok)
	if r.Version != version {
		return false, nil
	}
	m.set(table, key, value)
	return true, nil
}

// play runs so many transactions of two sessions by turns and returns what they sent.
func play(t rapid.TB, name string, c Config, seed uint64, txns int) (string, *model) {
	w, err := New(name, c)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(t, w)
	sessions := []*rand.Rand{rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 2))}
	memories := []SessionMemory{{Seen: map[int64]int64{}}, {Seen: map[int64]int64{}}}
	for i := range txns {
		m.read = map[[2]int64]bool{}
		m.note("begin %d", i%2)
		if err := w.Next(sessions[i%2], &memories[i%2])(m); err != nil && !errors.Is(err, ErrRollback) {
			t.Fatal(err)
		}
	}
	return m.log.String(), m
}

// Every workload, of any size and distribution, sends the same statements for the same seed and answers, uses only rows
// that are there where its history is one of registers, and reads what it writes where it says so.
func TestWorkloads(t *testing.T) {
	for _, name := range Names() {
		if name == "generated" { // its cases take long to make: TestGenerated
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := Config{Keys: rapid.IntRange(1, 200).Draw(t, "keys"), Distribution: rapid.SampledFrom(Distributions).Draw(t,
					"distribution")}
				seed := rapid.Uint64().Draw(t, "seed")
				first, _ := play(t, name, c, seed, 20)
				if second, _ := play(t, name, c, seed, 20); first != second {
					t.Fatalf("the same seed gives\n%s\nthen\n%s", first, second)
				}
				if other, _ := play(t, name, c, seed+1, 20); c.Keys > 20 && other == first {
					t.Fatal("another seed gives the same statements")
				}
			})
		})
	}
}

// Each workload uses the kinds of statements that it is there for.
func TestStatements(t *testing.T) {
	for name, want := range map[string]string{
		"blindw-w": "put", "blindw-rw": "get put", "blindw-rw+": "get put scan", "smallbank": "get put", "ycsb-a": "get put",
		"tpcc": "delete get insert put putrange scan", "random-sql": "delete get insert put putrange scan", "mini": "get put",
		"cas": "cas get", "gt": "get put", "lwt": "cas get insert",
		"append": "append insert list", "bank": "get putrange scan", "set": "insert scan", "counter": "get putrange",
	} {
		log, m := play(t, name, Config{Keys: 12, Distribution: Zipf}, 1, 400)
		if m.w.Kind.Claims() != (len(m.calls) > 0) {
			t.Errorf("%s says %d times what it does", name, len(m.calls))
		}
		var verbs []string
		for line := range strings.Lines(log) {
			if verb, _, _ := strings.Cut(line, " "); verb != "begin" && !slices.Contains(verbs, verb) {
				verbs = append(verbs, verb)
			}
		}
		slices.Sort(verbs)
		if got := strings.Join(verbs, " "); got != want {
			t.Errorf("%s sends %s, want %s", name, got, want)
		}
	}
}

// New orders take consecutive numbers: the district's counter and the orders agree.
func TestOrders(t *testing.T) {
	_, m := play(t, "tpcc", Config{Keys: 100, Distribution: Uniform}, 7, 300)
	orders := 0
	for d, r := range m.rows[district] {
		for n := int64(1); n < unpackDistrict(r.Value).next; n++ {
			if _, ok := m.rows[order][orderKey(d, n)]; !ok {
				t.Errorf("district %d: order %d of %d is missing", d, n, unpackDistrict(r.Value).next-1)
			}
			orders++
		}
	}
	if orders == 0 || orders != len(m.rows[order]) {
		t.Errorf("%d orders by number, %d in the table", orders, len(m.rows[order]))
	}
}

func TestUnknown(t *testing.T) {
	for name, c := range map[string]Config{"nothing": {Keys: 1, Distribution: Uniform},
		"mini": {Keys: 0, Distribution: Uniform}, "cas": {Keys: 1, Distribution: "normal"}} {
		if _, err := New(name, c); err == nil {
			t.Errorf("%s with %+v is accepted", name, c)
		}
	}
}
