package export

import (
	"fmt"
	"slices"
	"strings"

	"txweave/history"
	"txweave/report/timeline"
)

// writeSQL writes scripts for the command-line client: setup.sql makes the tables, T0.sql, T1.sql, … are the
// sessions, which run at the same time, serial.sql is the order without concurrency, and run.sh runs them all. Where
// the server has GET_LOCK the sessions keep each other's pace with it: each holds a lock for every moment of its own
// and releases it when the moment has passed, and waits for the lock of the moment before. User locks touch neither
// rows nor snapshots.
func writeSQL(s *script) ([]File, error) {
	head := comment("-- ", s.head()...)
	var setup strings.Builder
	setup.WriteString(head)
	for _, sql := range append(s.drops(), s.creation()...) {
		setup.WriteString(sql + ";\n")
	}
	files := []File{{"setup.sql", setup.String()}}
	var sessions []string
	for _, i := range s.usedLanes() {
		name := s.Lanes[i].Name
		sessions = append(sessions, name)
		files = append(files, File{name + ".sql", s.sessionScript(i)})
	}
	var final strings.Builder
	for _, sql := range s.reads() {
		fmt.Fprintf(&final, "%s ORDER BY 1;\n", sql)
	}
	files = append(files, File{"final.sql", final.String()})
	if len(s.serial) > 0 {
		files = append(files, File{"serial.sql", s.serialScript()})
	}
	if s.dbms.Locks {
		files = append(files, File{"run.sh", runScript(sessions, len(s.serial) > 0)})
	}
	return files, nil
}

// tick names the user lock of a moment.
func tick(i int) string { return fmt.Sprintf("'txweave %d'", i+1) }

// sessionScript is one session's part of the interleaving.
func (s *script) sessionScript(lane int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s: at the same time as the other sessions' scripts\n", s.Lanes[lane].Name)
	for _, sql := range s.laneSetup(s.Lanes[lane]) {
		b.WriteString(sql + ";\n")
	}
	var own []string
	for i, m := range s.Marks {
		if m.Step.Lane == lane {
			own = append(own, "GET_LOCK("+tick(i)+", 0)")
		}
	}
	if s.dbms.Locks {
		fmt.Fprintf(&b, "DO %s; -- this session's moments\nDO SLEEP(1); -- until every session has its locks\n", strings.Join(own, ", "))
	}
	for i, m := range s.Marks {
		if m.Step.Lane != lane {
			continue
		}
		if m.Kind != timeline.Resumed {
			s.awaitTick(&b, i, lane)
		}
		s.moment(&b, i, m)
	}
	return b.String()
}

// awaitTick waits for the moment before, where it is another session's.
func (s *script) awaitTick(b *strings.Builder, i, lane int) {
	if i == 0 || s.Marks[i-1].Step.Lane == lane {
		return
	}
	before := s.Marks[i-1]
	how := map[timeline.MarkKind]string{timeline.Ran: "", timeline.Blocked: ", which waits", timeline.Resumed: " to resume"}[before.Kind]
	if !s.dbms.Locks {
		fmt.Fprintf(b, "-- wait for %s%s\n", before.Step.Name, how)
		return
	}
	fmt.Fprintf(b, "DO GET_LOCK(%s, 30), RELEASE_LOCK(%s); -- wait for %s%s\n", tick(i-1), tick(i-1), before.Step.Name, how)
	for k := i - 1; k >= 0 && (s.Marks[k].Kind != timeline.Ran || s.Marks[k].Step.Role == history.Abort); k-- {
		if s.Marks[k].Kind == timeline.Blocked {
			b.WriteString("DO SLEEP(0.5);\n") // it is on its way
			break
		}
	}
}

// moment writes one moment of a session.
func (s *script) moment(b *strings.Builder, i int, m timeline.Mark) {
	release := func() {
		if s.dbms.Locks {
			fmt.Fprintf(b, "DO RELEASE_LOCK(%s);\n", tick(i))
		}
	}
	switch m.Kind {
	case timeline.Ran:
		fmt.Fprintf(b, "%s;%s\n", m.Step.SQL, remark(m.Step, ""))
		release()
	case timeline.Blocked:
		release() // before it is sent: it answers only when it wakes
		fmt.Fprintf(b, "%s;%s\n", m.Step.SQL, remark(m.Step, " waits"))
	case timeline.Resumed:
		release()
	}
}

// remark names a target statement and says what is expected of it.
func remark(st *timeline.LaneStep, how string) string {
	if st.Role != history.Target && !st.Probe() && how == "" && st.Answer.Err == nil {
		return ""
	}
	out := " -- " + st.Name + how
	if st.Answer.Err != nil {
		out += fmt.Sprintf(", error %d", st.Answer.Err.Code)
	}
	for _, d := range st.Differences {
		out += "; finding: " + d.What
	}
	return out
}

// serialScript runs the serial executions one after the other.
func (s *script) serialScript() string {
	var b strings.Builder
	for _, sql := range s.setup {
		b.WriteString(sql + ";\n")
	}
	for _, x := range s.serial {
		fmt.Fprintf(&b, "\n-- %s\n", x.what)
		for _, sql := range slices.Concat(s.drops(), s.creation()) {
			b.WriteString(sql + ";\n")
		}
		for _, st := range x.steps {
			fmt.Fprintf(&b, "%s;%s\n", st.SQL, from(st))
		}
		for _, sql := range s.reads() {
			fmt.Fprintf(&b, "%s ORDER BY 1;\n", sql)
		}
	}
	return b.String()
}

// runScript runs the scripts with a client that the caller names.
func runScript(sessions []string, serial bool) string {
	var b strings.Builder
	b.WriteString(`#!/bin/sh
# usage: sh run.sh CLIENT ARGUMENTS..., for example: sh run.sh mariadb -u root test
# Drops and creates the case's tables in that database.
cd "$(dirname "$0")" || exit 1
"$@" < setup.sql || exit 1
`)
	for _, name := range sessions {
		fmt.Fprintf(&b, "\"$@\" --force --table -vv < %s.sql > %s.out 2>&1 &\n", name, name)
	}
	b.WriteString("wait\n")
	for _, name := range sessions {
		fmt.Fprintf(&b, "echo '== %s'; cat %s.out\n", name, name)
	}
	b.WriteString("echo '== after the transactions'; \"$@\" --table -vv < final.sql\n")
	if serial {
		b.WriteString("echo '== without concurrency'; \"$@\" --force --table -vv < serial.sql\n")
	}
	return b.String()
}
