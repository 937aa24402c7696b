package format

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"txweave/history/register"
)

// TestNames: values of one file that are texts, and integers that might be the number of a text, are told apart, and
// printed as they were, in whatever order they come, and also after they were written anew.
func TestNames(t *testing.T) {
	const first = 1 << 62
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		values := []any{"a", "b", "c", "", 1, 2, first - 1, first, first + 1, first + 2, first + 3, uint64(2 * first), -first}
		var own, edn, elle strings.Builder
		own.WriteString(`{"format":"txweave-history","version":1,"real_time":false}` + "\n")
		var want []string
		rnd.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		values = values[:2+rnd.IntN(len(values)-2)]
		for i := range 3 * len(values) {
			v := values[rnd.IntN(len(values))]
			if i < len(values) {
				v = values[i]
			}
			want = append(want, fmt.Sprint(v))
			text := fmt.Sprint(v)
			if s, is := v.(string); is {
				text = strconv.Quote(s)
			}
			op := []string{"r", "w"}[rnd.IntN(2)]
			ownText := text
			if _, big := v.(uint64); big {
				ownText = strconv.Quote(text) // txweave's own form has no such integers
			}
			fmt.Fprintf(&own, `{"txn":%d,"session":0,"status":"committed","ops":[["%s","x",%s]]}`+"\n", i, op, ownText)
			fmt.Fprintf(&edn, "{:type :ok, :f :txn, :value [[:%s x %s]], :process 0}\n", op, text)
			fmt.Fprintf(&elle, `{"type":"ok","f":"txn","value":[["%s","x",%s]],"process":0}`+"\n", op, text)
		}
		for name, text := range map[string]string{"txweave": own.String(), "edn": edn.String(),
			"jepsen-json": elle.String()} {
			h, _, err := readFile(strings.NewReader(text), name)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
			told(t, h, want, name+"\n"+text)
			for _, as := range []string{"txweave", "compact"} {
				var again strings.Builder
				if err := WriteAs(&again, as, h); err != nil {
					t.Fatal(err)
				}
				back, _, err := readFile(strings.NewReader(again.String()), as)
				if err != nil {
					t.Fatal(err)
				}
				told(t, back, want, name+" as "+as+"\n"+text)
			}
		}
	}
}

// told checks that a history's operations have these values, each with a number of its own.
func told(t *testing.T, h *register.History, want []string, of string) {
	t.Helper()
	numbers := map[string]int64{}
	for i, op := range h.Ops {
		if got := h.Name(op.Value); got != want[i] {
			t.Fatalf("value %d is %s, want %s of %s", i, got, want[i], of)
		}
		if n, known := numbers[want[i]]; known && n != op.Value {
			t.Fatalf("%s has two numbers in %s", want[i], of)
		}
		numbers[want[i]] = op.Value
	}
	seen := map[int64]string{}
	for name, n := range numbers {
		if other, twice := seen[n]; twice {
			t.Fatalf("%q and %q are one value of %s", name, other, of)
		}
		seen[n] = name
	}
}
