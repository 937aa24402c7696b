package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/dbms/postgresql"
	"txweave/history"
	"txweave/internal/testkit/need"
	"txweave/internal/testkit/servers"
	"txweave/report/timeline"
)

// postgres is the server of the specs.
var postgres = servers.Launched("a PostgreSQL server", postgresql.Server)

// isolationSpec runs the spec of a plain case under PostgreSQL's own isolation tester: at REPEATABLE READ the
// interleaving gives what it gave in the run.
func isolationSpec(t *testing.T, f *timeline.Dossier) {
	tool := postgresql.Spelling.Tool
	if !tool.Installed() {
		need.Missing(t, "needs PostgreSQL's isolationtester (Debian: apt-get install postgresql)")
	}
	spec, err := os.ReadFile(filepath.Join(save(t, "isolation-spec", f), "case.spec"))
	if err != nil {
		t.Fatal(err)
	}
	printed, err := tool.Run(t.Context(), postgres.Target(t).Control(), string(spec))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(printed, "starting permutation:")
	if len(parts) != 4 || strings.Contains(printed, "ERROR") {
		t.Fatalf("%d permutations, want the interleaving and two orders:\n%s", len(parts)-1, printed)
	}
	for _, st := range f.Plain.Timeline.Steps {
		if st.Role != history.Target || st.Answer.Rows == nil {
			continue
		}
		if got := specRows(parts[1], "step "+strings.ToLower(strings.ReplaceAll(st.Name, ".", "_"))+":"); strings.Join(got,
			";") != strings.Join(rawRows(st.Answer.Rows), ";") {
			t.Errorf("%s: got %v, want %v", st.Name, got, rawRows(st.Answer.Rows))
		}
	}
}

// specRows returns the rows that the tester printed after a step: the lines between the rule and the number of rows.
func specRows(text, step string) []string {
	_, after, _ := strings.Cut(text, step)
	_, after, _ = strings.Cut(after, "-+-")
	_, after, _ = strings.Cut(after, "\n")
	body, _, _ := strings.Cut(after, "(")
	var out []string
	for line := range strings.Lines(body) {
		var cells []string
		for cell := range strings.SplitSeq(line, "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, strings.Join(cells, "\t"))
		}
	}
	return out
}
