package files

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/testkit/effort"
)

var split = effort.Flag("txweave.split", 500, "histories of each format that are cut into parts, and judged so")

// TestSplit: a file of any format that is cut while it is read has, in parts, the verdict of the whole.
func TestSplit(t *testing.T) {
	for _, name := range format.WriterNames() {
		if name == "awdit" { // which has an initial transaction, on which all hangs
			continue
		}
		cut, verdicts := 0, map[checker.Validity]int{}
		for seed := range uint64(split()) {
			rng := rand.New(rand.NewPCG(seed, 11))
			lists := rng.IntN(4) == 0 && format.Keeps(name).Lists
			file := filepath.Join(t.TempDir(), "history")
			var text strings.Builder
			if err := format.WriteAs(&text, name, apart(t, rng, lists)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			level := dbms.HistoryLevels[rng.IntN(len(dbms.HistoryLevels))]
			opt := checker.Options{SessionOrder: rng.IntN(4) > 0}
			whole := judged(t, file, level, opt)
			f := &run{Config: Config{Format: name, Workload: "auto", Sessions: opt.SessionOrder, Parts: 2 + rng.IntN(4),
				Split: filepath.Join(t.TempDir(), "parts")}}
			if err := f.split(t.Context(), io.Discard, file, level); err != nil {
				if !strings.Contains(err.Error(), "there is one part") {
					t.Fatalf("%s, seed %d: %v", name, seed, err)
				}
				continue
			}
			files, err := filepath.Glob(filepath.Join(f.Split, "*"))
			if err != nil {
				t.Fatal(err)
			}
			together := checker.Valid
			for _, part := range files {
				v := judged(t, part, level, opt)
				if v == checker.Invalid || v == checker.Unknown && together == checker.Valid {
					together = v
				}
			}
			if cut++; together != whole && whole != checker.Unknown {
				t.Fatalf("%s, seed %d, %s, %+v: %s as a whole, %s in %d parts:\n%s", name, seed, level, opt, whole, together,
					len(files), text.String())
			}
			verdicts[whole]++
		}
		t.Logf("%s: %d of %d are cut: %v", name, cut, split(), verdicts)
		if cut < split()/3 || verdicts[checker.Valid] < cut/10 || verdicts[checker.Invalid] < cut/10 {
			t.Errorf("%s: %d of %d are cut: %v", name, cut, split(), verdicts)
		}
	}
}

func judged(t *testing.T, file string, level dbms.Level, opt checker.Options) checker.Validity {
	t.Helper()
	c, err := format.Read(t.Context(), file, format.Auto)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", file, err))
	}
	return blackbox.Check(t.Context(), c.History, level, opt).Outcome
}

// apart makes two or three small histories one, side by side in time, with keys and sessions of their own.
func apart(t *testing.T, rng *rand.Rand, lists bool) *register.History {
	t.Helper()
	const most = 5 // keys and sessions of each
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	for n := range int64(2 + rng.IntN(2)) {
		cfg := histories.Config{Level: histories.Levels[rng.IntN(4)], Shape: histories.Mini, Sessions: most,
			Keys: most, Ops: 3, NoInitial: true, Lists: lists, Txns: 1 + rng.IntN(10)}
		if a := histories.Anomalies()[rng.IntN(len(histories.Anomalies()))]; !a.Searches() && a.Fits(cfg.Shape) &&
			rng.IntN(4) == 0 {
			cfg.Anomaly = a.Kind
		}
		h, err := histories.Generate(rng, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for x := range h.Txns {
			b.Begin(int64(h.Txns[x].Session)+most*n, int64(x)+1000*n)
			for _, op := range h.TxnOps(x) {
				key := b.IntKey(int64(op.Key) + most*n)
				if op.Kind == register.ReadList {
					b.ReadList(key, h.List(op))
					continue
				}
				op.Key = key
				b.Op(op)
			}
			b.End(h.Txns[x].Status, h.Start(x)+1000*n, h.End(x)+1000*n)
		}
	}
	return b.History()
}
