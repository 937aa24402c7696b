package parts

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/history"
	"txweave/history/format"
	"txweave/history/register"
)

// several draws some histories that have nothing to do with each other, most of them, as one: with keys, and perhaps
// sessions, of their own, side by side in time. What is planted in them differs, too.
func several(t *rapid.T, lists bool) *register.History {
	apart := rapid.Bool().Draw(t, "sessions of their own")
	empty := rapid.Bool().Draw(t, "empty transactions")
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	id := int64(0)
	for n := range int64(rapid.IntRange(1, 5).Draw(t, "components")) {
		cfg := histories.Config{
			Level: rapid.SampledFrom(histories.Levels[:4]).Draw(t, "level"),
			Shape: rapid.SampledFrom([]histories.Shape{histories.Mini, histories.Blind, histories.General}).
				Draw(t, "shape"),
			Sessions: 5, Keys: 5, Ops: 3, NoInitial: true, Lists: lists,
			Txns: rapid.IntRange(1, 12).Draw(t, "transactions"),
		}
		anomalies := histories.Anomalies()
		if a := anomalies[rapid.IntRange(0, len(anomalies)-1).Draw(t, "anomaly")]; !a.Searches() && a.Fits(cfg.Shape) &&
			rapid.IntRange(0, 4).Draw(t, "planted") == 0 {
			cfg.Anomaly = a.Kind
		}
		h, err := histories.Generate(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), cfg)
		if err != nil {
			t.Fatal(err)
		}
		for x := range h.Txns {
			session := int64(h.Txns[x].Session)
			if id++; apart {
				session += 5 * n
			}
			b.Begin(session, id)
			ops := h.TxnOps(x)
			if empty && x%3 == 0 && !slices.ContainsFunc(ops, writes) {
				ops = nil
			}
			give(b, h, ops, 5*n)
			b.End(h.Txns[x].Status, h.Start(x)+1000*n, h.End(x)+1000*n)
		}
	}
	return b.History()
}

// give adds operations of a history, on keys whose numbers are so much higher.
func give(b *register.Builder, h *register.History, ops []register.Op, higher int64) {
	for _, op := range ops {
		key := b.IntKey(int64(op.Key) + higher)
		if op.Kind == register.ReadList {
			b.ReadList(key, h.List(op))
			continue
		}
		op.Key = key
		b.Op(op)
	}
}

func writes(op register.Op) bool { return op.Kind == register.Write || op.Kind == register.Append }

var all = append(slices.Clone(histories.Levels), dbms.LIN)

// TestCheck: cut into parts a history has the verdict that it has as a whole, whatever the level. An invalid part
// makes it so where the whole could not be judged.
func TestCheck(t *testing.T) {
	cut := 0
	rapid.Check(t, func(t *rapid.T) {
		h := several(t, rapid.Bool().Draw(t, "lists"))
		opt := checker.Options{SessionOrder: rapid.Bool().Draw(t, "session order")}
		if rapid.IntRange(0, 3).Draw(t, "skew") == 0 {
			b, err := history.ParseClockBounds("10ns")
			if err != nil {
				t.Fatal(err)
			}
			h = h.Widened(b)
		}
		for _, level := range all {
			whole := blackbox.Check(t.Context(), h, level, opt)
			v := Check(t.Context(), h, level, opt, rapid.IntRange(1, 3).Draw(t, "workers"))
			if len(Cut(h, level, opt, Most)) > 1 {
				cut++
			}
			if v.Outcome != whole.Outcome && whole.Outcome != checker.Unknown {
				t.Fatalf("%s, session order %v: the whole is\n%s\nits parts are\n%s", level, opt.SessionOrder, whole, v)
			}
			for _, e := range v.Counterexample {
				if e.To != "" && h.TxnName(e.ToTxn) != e.To || e.From != "" && h.TxnName(e.FromTxn) != e.From {
					t.Errorf("%+v is of %s and %s", e, h.TxnName(e.FromTxn), h.TxnName(e.ToTxn))
				}
			}
		}
	})
	if cut == 0 {
		t.Error("nothing was cut")
	}
}

// TestHolds: where parts that were cut for one level hold at another, they are valid there if and only if the whole is.
func TestHolds(t *testing.T) {
	held, not := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		h := several(t, false)
		draw := func(name string) (dbms.Level, checker.Options, register.Cut) {
			level := rapid.SampledFrom(all).Draw(t, name)
			opt := checker.Options{SessionOrder: rapid.Bool().Draw(t, name+" with session order")}
			return level, opt, register.Cut{Level: string(level), SessionOrder: opt.SessionOrder}
		}
		cutFor, cutWith, cut := draw("cut for")
		level, opt, at := draw("judged at")
		whole := blackbox.Check(t.Context(), h, level, opt).Outcome
		valid := true
		for _, txns := range Cut(h, cutFor, cutWith, 4) {
			valid = valid && blackbox.Check(t.Context(), h.Part(txns), level, opt).Outcome == checker.Valid
		}
		switch same := valid == (whole == checker.Valid); {
		case Holds(cut, at) && whole != checker.Unknown:
			held++
			if !same {
				t.Fatalf("%+v at %+v: the parts are valid: %v, the whole is %s", cut, at, valid, whole)
			}
		case !same:
			not++
		}
	})
	if held == 0 {
		t.Error("no cut held")
	}
	t.Logf("%d held, %d did not and were wrong", held, not)
	lin, ser := register.Cut{Level: "lin", SessionOrder: true}, register.Cut{Level: "ser", SessionOrder: true}
	sser, skewed := register.Cut{Level: "sser", SessionOrder: true}, register.Cut{Level: "sser", SessionOrder: true,
		ClockSkew: "5ms"}
	for _, c := range [][2]register.Cut{{lin, ser}, {lin, sser}, {sser, ser}, {sser, skewed}, {skewed, sser}} {
		if Holds(c[0], c[1]) {
			t.Errorf("parts that were cut with %+v are said to be parts with %+v", c[0], c[1])
		}
	}
	for _, c := range [][2]register.Cut{{ser, lin}, {ser, skewed}, {sser, lin}, {sser, sser}} {
		if !Holds(c[0], c[1]) {
			t.Errorf("parts that were cut with %+v are not said to be parts with %+v", c[0], c[1])
		}
	}
}

// TestSessionsHangTogether: two clients that each write one key and then miss the other one's write. Each key by itself
// is serializable; with session order the history is not. Where times say that each client's transactions did not
// overlap they say so of the keys, too: strict serializability is asked of each key.
func TestSessionsHangTogether(t *testing.T) {
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	for session, keys := range [][2]int64{{0, 1}, {1, 0}} {
		b.Begin(int64(session), int64(2*session+1))
		b.Write(b.IntKey(keys[0]), 1)
		b.End(history.Committed, 1, 2)
		b.Begin(int64(session), int64(2*session+2))
		b.ReadNil(b.IntKey(keys[1]))
		b.End(history.Committed, 3, 4)
	}
	h := b.History()
	for _, c := range []struct {
		level   dbms.Level
		order   bool
		parts   int
		outcome checker.Validity
	}{
		{dbms.SER, true, 1, checker.Invalid}, {dbms.SER, false, 2, checker.Valid}, {dbms.SSER, true, 2, checker.Invalid},
		{dbms.LIN, true, 2, checker.Invalid}, {dbms.RC, true, 1, checker.Valid},
	} {
		opt := checker.Options{SessionOrder: c.order}
		if n := len(Cut(h, c.level, opt, Most)); n != c.parts {
			t.Errorf("%s, session order %v: %d parts, want %d", c.level, c.order, n, c.parts)
		}
		if v := Check(t.Context(), h, c.level, opt, 2); v.Outcome != c.outcome {
			t.Errorf("session order %v: %s, want %s", c.order, v, c.outcome)
		}
	}
}

// TestCut: every transaction is in one part, and parts are about as large as each other.
func TestCut(t *testing.T) {
	h, err := histories.Generate(rand.New(rand.NewPCG(1, 1)), histories.Config{Shape: histories.CompareAndSet, Txns: 5000,
		Keys: 100})
	if err != nil {
		t.Fatal(err)
	}
	parts := Cut(h, dbms.LIN, checker.Options{}, 4)
	var txns []int
	for _, p := range parts {
		if len(p) < 1000 || len(p) > 1500 {
			t.Errorf("%d of %d transactions in one of four parts", len(p), len(h.Txns))
		}
		txns = append(txns, p...)
	}
	slices.Sort(txns)
	if len(parts) != 4 || len(txns) != len(h.Txns)-1 || len(slices.Compact(txns)) != len(h.Txns)-1 {
		t.Errorf("%d parts with %d of %d transactions", len(parts), len(txns), len(h.Txns))
	}
}

// TestWritten: a part is the same once it was written to a file and read.
func TestWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "part.bin")
	rapid.Check(t, func(t *rapid.T) {
		h := several(t, rapid.Bool().Draw(t, "lists"))
		opt := checker.Options{}
		for _, txns := range Cut(h, dbms.SER, opt, 3) {
			part := h.Part(txns)
			var text bytes.Buffer
			err := errors.Join(format.WriteAs(&text, "compact", part), os.WriteFile(path, text.Bytes(), 0o666))
			if err != nil {
				t.Fatal(err)
			}
			c, err := format.Read(t.Context(), path, format.Auto)
			if err != nil {
				t.Fatal(err)
			}
			for _, level := range all {
				a, b := blackbox.Check(t.Context(), part, level, opt), blackbox.Check(t.Context(), c.History, level, opt)
				if a.String() != b.String() {
					t.Errorf("%s, and once it is read\n%s", a, b)
				}
			}
		}
	})
}

// TestNothingBetween: a transaction that does nothing overlaps the one before it in its session, and ended before
// another one began: it is what says in which order the two others are, and belongs to them.
func TestNothingBetween(t *testing.T) {
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	for i, x := range []struct {
		session, start, end int64
		do                  func()
	}{
		{0, 1, 10, func() { b.Write(b.Key("x"), 1) }},
		{0, 2, 3, func() {}},
		{1, 5, 6, func() { b.ReadNil(b.Key("x")) }},
		{2, 5, 6, func() { b.ReadNil(b.Key("y")) }},
	} {
		b.Begin(x.session, int64(i+1))
		x.do()
		b.End(history.Committed, x.start, x.end)
	}
	h, opt := b.History(), checker.Options{SessionOrder: true}
	if v := Check(t.Context(), h, dbms.SSER, opt, 2); v.Outcome != checker.Invalid {
		t.Error(v)
	}
	if n := len(Cut(h, dbms.SSER, opt, Most)); n != 2 {
		t.Errorf("%d parts", n)
	}
}
