// Package workload defines what storms run: the tables, and transactions as functions that send statements and decide
// by the answers what to send next. The same generator of random numbers and the same answers give the same statements.
//
// Each table has a key and one payload column, a number. That every version of a row can be told from every other is
// whoever runs the workload's doing: it adds a version column, of a new value for each write.
package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"txweave/gen"
	"txweave/history"
	clients "txweave/history/workload"
	"txweave/internal/former"
)

// TableSpec is one table of a workload. Rows 0 to Rows-1 are there from the start, with a payload of Initial.
type TableSpec struct {
	Name    string
	Rows    int
	Initial int64
	Lists   bool // rows have a list, too, empty at first
	// Present are the keys of the rows of a table that the workload makes itself (Made), in place of Rows.
	Present []int64
}

// Row is a row as a statement returned it. Version names the write that made it.
type Row struct{ Key, Version, Value int64 }

// Where is a condition on the payload, which SQL calls v: its text, in words that mean the same in every dialect, and
// what it means. The zero Where matches every row.
type Where struct {
	SQL   string
	Means *history.PayloadFilter
}

func (w Where) String() string { return w.SQL }

// where builds a condition from its text and the payloads that match it.
func where(sql string, divisor int64, in ...[2]int64) Where {
	return Where{sql, &history.PayloadFilter{In: in, Divisor: divisor}}
}

// lowest and highest are the ends of what a payload may be.
const (
	lowest  = math.MinInt64 + 1
	highest = math.MaxInt64
)

// below matches payloads below n.
func below(n int64) Where { return where(fmt.Sprintf("v < %d", n), 0, [2]int64{lowest, n - 1}) }

// Tx sends the statements of one transaction. Tables are numbered as the workload lists them. An error ends the
// transaction: whoever gets one returns it.
type Tx interface {
	// Get reads a row; with lock it is SELECT … FOR UPDATE, where there is such a thing. found is false where there
	// is no row.
	Get(table int, key int64, lock bool) (row Row, found bool, err error)
	// Scan reads the rows with a key from lo to hi, in no order, that match where.
	Scan(table int, lo, hi int64, where Where, lock bool) ([]Row, error)
	// Put sets a row's payload, and says whether there was a row.
	Put(table int, key, value int64) (found bool, err error)
	// PutRange adds to the payload of the rows with a key from lo to hi that match where, and returns how many.
	PutRange(table int, lo, hi int64, where Where, add int64) (int, error)
	// Insert adds a row, and says whether there was none.
	Insert(table int, key, value int64) (inserted bool, err error)
	// Delete removes a row, and says whether there was one.
	Delete(table int, key int64) (found bool, err error)
	// CompareAndSet sets a row's payload if it has this version still.
	CompareAndSet(table int, key, version, value int64) (set bool, err error)
	// Append adds an element that nobody else adds to a row's list, and says whether there was a row.
	Append(table int, key int64) (found bool, err error)
	// List reads a row's list; where there is no row it is empty.
	List(table int, key int64) ([]int64, error)
	// Did says what the transaction does to an object, if it commits, in the words of the checker of workloads that state
	// themselves what must hold; of a read, of how many statements it is made.
	Did(object int64, call clients.Call, statements int)
	// Whole says whether all that the transaction's plain reads see is of one state of the database.
	Whole() bool
	// Violates says that what the transaction has read breaks a condition that always holds, and which one.
	Violates(what string)
	// Send sends a statement of the generator's.
	Send(s *Generated) error
}

// Program is one transaction. It returns an error of its Tx, or ErrRollback where it gives up by itself.
type Program func(Tx) error

// HistoryKind is what a workload's history is good for beside the mechanism oracle.
type HistoryKind uint8

// The kinds of workloads.
const (
	Relational      HistoryKind = iota // rows come and go, or are read by ranges
	Registers                          // single rows that are always there: a history of registers
	MiniTransaction                    // also, each write after a read of its row (Wei et al., ICDE 2025, definition 8)
	CompareAndSet                      // each transaction is one read or compare-and-set: a history to linearize
	Lists                              // elements are appended to lists: a history of lists
	Accounts                           // the following three say with Tx.Did what they do: a bank,
	Elements                           // sets
	Counters                           // and counters
)

// Claims says whether the workload itself states what must hold.
func (k HistoryKind) Claims() bool { return k >= Accounts }

// Registers says whether the history is one of reads and writes of rows.
func (k HistoryKind) Registers() bool { return k < Lists }

// Workload is what a storm runs.
type Workload struct {
	Name   string
	Kind   HistoryKind
	Tables []TableSpec
	// ValueSize is how many bytes each row has beside its numbers: Tuning.ValueSize.
	ValueSize int
	// Made are the tables where the workload makes them itself; nil: each has a key and a payload and nothing else.
	Made *Made
	// Together says that the sessions' transactions are let go together, when each has begun one.
	Together bool
	// Audit, unless nil, reads what is there when all others have ended, and says what is wrong of it.
	Audit Program
	// Next draws a transaction. It is called by one goroutine at a time for each session; memory is the session's
	// own, and empty at first.
	Next func(rng *rand.Rand, memory *SessionMemory) Program
}

// SessionMemory is what a session remembers from one transaction to the next.
type SessionMemory struct {
	// Seen is the last version of a row that the session saw, by key.
	Seen map[int64]int64
	// Round is how many transactions the session has drawn.
	Round int
	// At is the first object that the session still uses, where they are used up.
	At int64
}

// Config sizes a workload.
type Config struct {
	Tuning
	Keys         int // rows of its main table; at least 1
	Distribution Distribution
	// Of generated: what the statements are written for, and the seed of the tables and of what there is of transactions.
	// Locks says that reads which ask for that lock current rows, LocksInner that their subqueries do not unless they ask
	// for it, too.
	Dialect           *gen.Dialect
	Isolation         string
	Seed              uint64
	Locks, LocksInner bool
}

// definition is one workload.
type definition struct {
	name, about string
	make        func(Config, *Keys) *Workload
	tunes       trait
}

// definitions lists the workloads.
var definitions = []definition{
	{"blindw-w", "8 blind writes (Leopard's extension of Cobra's BlindW)", blindWrites, hasLength},
	{"blindw-rw", "8 reads or 8 blind writes, evenly", blindReadWrite, hasLength | hasReads},
	{"blindw-rw+", "the same, half of the reads being ranges of 10 keys", blindRanges, hasLength | hasReads},
	{"gt", "general transactions of 20 operations: 20 % only read, 40 % only write, 40 % both (Wei et al.)",
		general, hasLength},
	{"smallbank", "SmallBank: six transactions on checking and savings accounts (Alomari et al., ICDE 2008)",
		smallBank, 0},
	{"ycsb-a", "YCSB A: half reads, half updates, in transactions of 4 (Cooper et al., SoCC 2010)", ycsbA,
		hasLength | hasReads},
	{"tpcc", "TPC-C: new order, payment, order status, delivery, stock level, with its consistency conditions", tpcc, 0},
	{"random-sql", "random reads and writes by key, range and predicate; rows come and go", randomSQL,
		hasLength | hasReads},
	{"generated", "what fuzz generates: joins, subqueries, upserts, foreign keys, secondary indexes", generated, 0},
	{"mini", "mini-transactions (Wei et al., ICDE 2025)", mini, 0},
	{"hot", "all sessions at one row and the gaps beside it, let go together", hot, 0},
	{"cas", "reads and compare-and-sets of single rows", compareAndSet, hasReads},
	{"lwt", "lightweight transactions: reads, compare-and-sets, inserts of what is not there (Wei et al.)", lightweight,
		hasReads},
	{"append", "elements are appended to lists, which tell the order of all writes (Elle's list-append)", appendLists,
		hasLength | hasReads},
	{"bank", "transfers between accounts, whose sum never changes (Jepsen's bank)", bank, 0},
	{"set", "elements are added to sets, and found from then on (Jepsen's set-full)", set, 0},
	{"counter", "counters are added to and read (Jepsen's counter)", counter, hasReads},
}

// Names lists the workloads.
func Names() []string {
	var out []string
	for _, d := range definitions {
		out = append(out, d.name)
	}
	return out
}

// About lists the workloads with one line on each.
func About() string {
	var b strings.Builder
	for _, d := range definitions {
		fmt.Fprintf(&b, "  %-11s %s\n", d.name, d.about)
	}
	return b.String()
}

// New returns a workload by its name.
func New(name string, c Config) (*Workload, error) {
	name = former.Workloads.Now(name)
	i := slices.IndexFunc(definitions, func(d definition) bool { return d.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown workload %q (there are %s)", name, strings.Join(Names(), ", "))
	}
	if err := c.check(&definitions[i]); err != nil {
		return nil, err
	}
	keys, err := NewKeys(c.Distribution, c.Keys, c.Theta)
	if err != nil {
		return nil, err
	}
	w := definitions[i].make(c, keys)
	if w == nil {
		return nil, fmt.Errorf("workload %s: nothing is generated for this DBMS", name)
	}
	w.Name, w.ValueSize = name, c.ValueSize
	return w, nil
}
