package format

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"txweave/history"
	"txweave/history/register"
)

var (
	largeInto = flag.String("format.write", "",
		"a directory for the histories that docs/explanation/pace.md measures; none are written without it")
	largeForm = flag.String("format.form", "", "only this one of them: h.edn, h.txt, h.jsonl, h.bin or elle.json")
	largeTxns = flag.Int("format.txns", 1_000_000, "how many transactions each of them has")
)

// TestWriteLarge writes serial mini-transactions of 20 sessions on 1,000 keys in each form: one or two keys read, and
// written or not.
func TestWriteLarge(t *testing.T) {
	if *largeInto == "" {
		*largeInto, *largeTxns = t.TempDir(), 100
	}
	files := map[string]*bufio.Writer{}
	for _, name := range []string{"h.edn", "h.txt", "h.jsonl", "h.bin", "elle.json"} {
		if *largeForm != "" && name != *largeForm {
			files[name] = bufio.NewWriterSize(io.Discard, 1<<20)
			continue
		}
		f, err := os.Create(filepath.Join(*largeInto, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := bufio.NewWriterSize(f, 1<<20)
		defer w.Flush()
		files[name] = w
	}
	fmt.Fprintln(files["h.jsonl"], `{"format":"txweave-history","version":1,"real_time":true,"initial":0}`)
	compact := register.NewBuilder(0, 0)
	compact.SetRealTime()
	compact.SetInitialValue(0)
	held := make([]int, 1000)
	value := 0
	for i := range *largeTxns {
		var edn, asked, own, elle, elleAsked []byte
		keys := []int{i * 7 % 1000, i * 13 % 1000}
		if keys = keys[:1+i%2]; len(keys) == 2 && keys[0] == keys[1] {
			keys = keys[:1]
		}
		compact.Begin(int64(i%20), int64(i+1))
		op := func(f byte, k, v int) {
			if *largeForm == "h.bin" || *largeForm == "" {
				kind := map[byte]register.Action{'r': register.Read, 'w': register.Write}[f]
				compact.Op(register.Op{Kind: kind, Key: compact.IntKey(int64(k)), Value: int64(v)})
			}
			fmt.Fprintf(files["h.txt"], "%c(%d,%d,%d,%d)\n", f, k, v, i%20, i+1)
			if *largeForm == "h.txt" || *largeForm == "h.bin" {
				return // the others take ten times as long
			}
			sep := ""
			if len(own) > 0 {
				sep = ","
			}
			read := fmt.Sprint(v)
			nothing := "null"
			if f == 'r' && v == 0 {
				read = "null"
			}
			if f == 'w' {
				nothing = read
			}
			name := map[string]string{"null": "nil"}
			or := func(s string) string {
				if name[s] != "" {
					return name[s]
				}
				return s
			}
			edn, asked = fmt.Appendf(edn, "[:%c %d %s] ", f, k, or(read)), fmt.Appendf(asked, "[:%c %d %s] ", f, k, or(nothing))
			elle, elleAsked = fmt.Appendf(elle, `%s["%c",%d,%s]`, sep, f, k, read), fmt.Appendf(elleAsked, `%s["%c",%d,%s]`, sep,
				f, k, nothing)
			own = fmt.Appendf(own, `%s["%c","%d",%d]`, sep, f, k, v)
		}
		for _, k := range keys {
			op('r', k, held[k])
			if i%3 > 0 {
				value++
				held[k] = value
				op('w', k, value)
			}
		}
		compact.End(history.Committed, int64(2*i+1), int64(2*i+2))
		if *largeForm == "h.txt" || *largeForm == "h.bin" {
			continue
		}
		fmt.Fprintf(files["h.edn"],
			"{:type :invoke, :f :txn, :value [%s], :process %d, :time %d, :index %d}\n{:type :ok, :f :txn, :value [%s], "+
				":process %d, :time %d, :index %d}\n",
			asked, i%20, 2000*i, 2*i, edn, i%20, 2000*i+1000, 2*i+1)
		fmt.Fprintf(files["elle.json"], `{"type":"invoke","f":"txn","value":[%s],"process":%d,"time":%d,"index":%d}`+"\n"+
			`{"type":"ok","f":"txn","value":[%s],"process":%d,"time":%d,"index":%d}`+"\n",
			elleAsked, i%20, 2000*i, 2*i, elle, i%20, 2000*i+1000, 2*i+1)
		fmt.Fprintf(files["h.jsonl"], `{"txn":%d,"session":%d,"status":"committed","start":%d,"end":%d,"ops":[%s]}`+"\n", i+1,
			i%20, 2*i+1, 2*i+2, own)
	}
	if err := WriteCompact(files["h.bin"], compact.History()); err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if err := files[name].Flush(); err != nil {
			t.Fatal(err)
		}
		if *largeForm != "" && name != *largeForm {
			continue
		}
		c, err := Read(t.Context(), filepath.Join(*largeInto, name), Auto)
		if err != nil || len(c.History.Txns) != *largeTxns {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
