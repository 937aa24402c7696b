package export

import (
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/report/timeline"
)

// writeSpec writes a spec for src/test/isolation: sessions of steps, and one permutation for the interleaving and
// for each serial execution. The tester finds out by itself which steps wait.
func writeSpec(s *script) ([]File, error) {
	if runs := runners("isolation-spec"); !slices.Contains(runs, s.dbms.DBMS) {
		return nil, fmt.Errorf("isolation specs are for %s, this finding is of %s", strings.Join(runs, ", "),
			s.finding.Record.Environment.DBMS)
	}
	for _, st := range s.Steps {
		if err := noBrace(st.SQL); err != nil {
			return nil, err
		}
	}
	for _, sql := range s.filling() {
		if err := noBrace(sql); err != nil {
			return nil, err
		}
	}
	var b strings.Builder
	b.WriteString(comment("# ", s.head()...))
	specBlock(&b, "setup", s.filling())
	if s.store != nil && s.store.Upkeep != "" { // VACUUM runs by itself
		specBlock(&b, "setup", []string{s.store.Follows(s.tables)})
	}
	specBlock(&b, "teardown", s.drops())
	for _, i := range s.usedLanes() {
		s.specSession(&b, i)
	}
	s.specSerial(&b)
	finals := ""
	for i := range s.tables {
		finals += fmt.Sprintf(" final%d", i)
	}
	b.WriteString("\n# The interleaving.\npermutation")
	for _, st := range s.Steps {
		b.WriteString(" " + stepID(st))
	}
	b.WriteString(finals + "\n")
	for _, x := range s.serial {
		fmt.Fprintf(&b, "\n# %s.\npermutation", x.what)
		for _, st := range x.steps {
			b.WriteString(" serial_" + stepID(st))
		}
		b.WriteString(finals + "\n")
	}
	return []File{{"case.spec", b.String()}}, nil
}

// specBlock writes statements that stand before or behind each permutation.
func specBlock(b *strings.Builder, name string, statements []string) {
	fmt.Fprintf(b, "\n%s\n{\n", name)
	for _, sql := range statements {
		fmt.Fprintf(b, "\t%s;\n", sql)
	}
	b.WriteString("}\n")
}

// specSession writes the session of a lane: its settings and its steps.
func (s *script) specSession(b *strings.Builder, i int) {
	lane := s.Lanes[i]
	fmt.Fprintf(b, "\nsession %s\n", lower(lane.Name))
	var first []string
	if level := specLevels[s.finding.Record.Environment.Isolation]; level != "" && !lane.Observer {
		first = append(first, "SET default_transaction_isolation = '"+level+"';")
	}
	if s.store != nil && !lane.Observer {
		for _, sql := range s.store.Set {
			first = append(first, sql+";")
		}
	}
	if len(first) > 0 {
		fmt.Fprintf(b, "setup\t\t{ %s }\n", strings.Join(first, " "))
	}
	for _, st := range s.Steps {
		if st.Lane == i {
			s.specStep(b, stepID(st), st)
		}
	}
}

// specSerial writes the session that runs the steps without concurrency, each once, and reads what is left.
func (s *script) specSerial(b *strings.Builder) {
	b.WriteString("\n# Without concurrency, and for what the tables hold at the end.\nsession serial\n")
	written := map[string]bool{}
	for _, x := range s.serial {
		for _, st := range x.steps {
			id := "serial_" + stepID(st)
			if written[id] {
				continue
			}
			written[id] = true
			bare := *st
			bare.Blocked, bare.Differences = false, nil
			s.specStep(b, id, &bare)
		}
	}
	for i, sql := range s.reads() {
		fmt.Fprintf(b, "step final%d\t{ %s ORDER BY 1; }\n", i, sql)
	}
}

func (s *script) specStep(b *strings.Builder, id string, st *timeline.LaneStep) {
	fmt.Fprintf(b, "step %s\t{ %s; }", id, st.SQL)
	if st.Blocked {
		b.WriteString("\t# waits")
	}
	for _, d := range st.Differences {
		told := d.Told()
		if s.finding.Plain != nil {
			told = s.finding.Say(&d)
		}
		b.WriteString("\t# finding: " + remark(told))
	}
	b.WriteString("\n")
}

// stepID names a step: t0_s1, t0_begin.
func stepID(st *timeline.LaneStep) string {
	id := strings.NewReplacer(".", "_").Replace(lower(st.Name))
	if st.Role == history.Abort {
		id += "ed"
	}
	return id
}

func lower(s string) string { return strings.ToLower(s) }

// noBrace refuses what the spec's grammar cannot hold.
func noBrace(sql string) error {
	if strings.ContainsAny(sql, "{}") {
		return fmt.Errorf("an isolation spec cannot hold braces: %q", sql)
	}
	return nil
}
