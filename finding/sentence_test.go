package finding

import (
	"encoding/json"
	"testing"

	"txweave/history"
)

// TestStepsInOtherWords: the step of a file is data, which whoever has other words for its kind can say with these.
func TestStepsInOtherWords(t *testing.T) {
	d := Difference{Stmt: "T1.S0", What: "stale-read", Steps: Sentences{
		Say("%v wrote %v, which %v %v", StmtName("T0.S0"), history.Version{Item: history.Item{Table: "t", PKey: 1}, VKey: 7},
			StmtName("T1.S0"), Say("overwrote with version %v", int64(9))),
		Say("%v read version %v of %v in %v", TxnNumber(1), VersionName("7"), ItemName("t:1"), Interval{5, 8})}}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var again Difference
	if err := json.Unmarshal(text, &again); err != nil || again.Detail() != d.Detail() {
		t.Fatalf("%v: %s", err, again.Detail())
	}
	others := map[string]string{
		"%v wrote %v, which %v overwrote with version %v": "%v: %v; %v: %v",
		"%v read version %v of %v in %v":                  "%v <- %v (%v) @ %v"}
	for i := range again.Steps {
		again.Steps[i].Say = others[again.Steps[i].Say]
	}
	if got, want := again.Detail(), "T0.S0: version 7 of row 1 of t; T1.S0: 9; T1 <- 7 (t:1) @ [5, 8]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if names := again.Stmts(); len(names) != 2 || len(again.Rows()) != 1 || len(again.Txns()) != 2 {
		t.Errorf("it names %v, %v, %v", names, again.Rows(), again.Txns())
	}
}
