package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/testcase"
)

// isOwn says whether a text is a case: "txweave case 1" is the first line that is no remark.
func isOwn(s *source) bool {
	for _, line := range s.lines() {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return strings.HasPrefix(line, "txweave case ")
		}
	}
	return false
}

// readOwn reads a case: its transactions in the order of its schedule.
func readOwn(s *source) ([]*part, error) {
	c, err := testcase.Parse(s.name, []byte(s.text))
	if err != nil {
		return nil, err
	}
	p := newPart("", 1)
	p.own = c
	add := func(tag string, st *testcase.Stmt) {
		q := piece{line: 1, tag: tag, sql: st.SQL}
		if at := strings.Index(s.text, st.SQL); at >= 0 {
			q.line += strings.Count(s.text[:at], "\n")
		}
		for _, c := range st.Comments {
			q.comments = append(q.comments, strings.TrimSpace(strings.TrimLeft(c, "#")))
		}
		p.out = append(p.out, q)
	}
	for _, list := range [][]testcase.Stmt{c.Schema, c.Rows} {
		for i := range list {
			add(setupTag, &list[i])
		}
	}
	next := make([]int, len(c.Txns))
	for _, n := range c.Schedule {
		t := &c.Txns[n]
		name := fmt.Sprintf("T%d", n)
		if t.Session > 0 {
			name = fmt.Sprintf("session %d", t.Session)
		}
		add(p.session(name), t.Step(next[n]))
		next[n]++
	}
	return []*part{p}, nil
}

// SessionFile is one of the files of a directory that holds a script for each session.
type SessionFile struct{ Name, Text string }

// paces says whether a statement is one by which the scripts of export keep each other's pace.
func paces(sql string) bool {
	flat := strings.NewReplacer("if exists ", "", "if not exists ", "", "(",
		" ").Replace(strings.ToLower(strings.Join(strings.Fields(sql), " ")))
	for _, start := range []string{"do get_lock ", "do release_lock ", "do sleep ", "call txweave_",
		"create table txweave_", "drop table txweave_",
		"create procedure txweave_", "drop procedure txweave_"} {
		if strings.HasPrefix(flat, start) {
			return true
		}
	}
	return false
}

// released is the moment that a statement ends by giving up its lock.
func released(sql string) (at int, ok bool) {
	digits, ok := strings.CutPrefix(strings.ToLower(strings.Join(strings.Fields(sql), " ")),
		"do release_lock('txweave ")
	at, err := strconv.Atoi(strings.TrimSuffix(digits, "')"))
	return at, ok && err == nil
}

// ofSession says whether a file is the script of a session: T0.sql.
func ofSession(name string) bool {
	digits, ok := strings.CutSuffix(strings.TrimPrefix(name, "T"), ".sql")
	return ok && strings.HasPrefix(name, "T") && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// IsSessions says whether files are the scripts that export writes for each session.
func IsSessions(names []string) bool {
	return slices.Contains(names, "setup.sql") && slices.ContainsFunc(names, ofSession)
}

// moment is a statement of a session's script, and when it is sent.
type moment struct {
	at            int
	session, text string
}

// Join makes one text of the scripts that export writes for each session: their statements in the order of the locks by
// which they keep each other's pace, each with its session in front.
func Join(files []SessionFile) (string, error) {
	var out strings.Builder
	var moments []moment
	for _, f := range files {
		if f.Name != "setup.sql" && !ofSession(f.Name) {
			continue
		}
		s := &source{name: f.Name, text: normalise([]byte(f.Text))}
		r := &reader{part: newPart("", 1), src: s, text: s.text, bare: true}
		if err := r.scan(); err != nil {
			return "", err
		}
		if f.Name == "setup.sql" {
			for _, p := range r.out {
				if !paces(p.sql) {
					fmt.Fprintf(&out, "/* init */ %s;\n", p.sql)
				}
			}
			continue
		}
		moments = append(moments, momentsOf(strings.TrimSuffix(f.Name, ".sql"), r.out)...)
	}
	for _, m := range moments {
		if m.at < 0 {
			return "", &testcase.ParseError{Name: m.session + ".sql", Line: 1,
				Msg: fmt.Sprintf("no lock says when %s is sent", quote(m.text))}
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		fmt.Fprintf(&out, "%s> %s;\n", m.session, m.text)
	}
	return out.String(), nil
}

// momentsOf are the statements of a session's script.
func momentsOf(session string, list []piece) (out []moment) {
	waits, last := 0, -1 // moment of the statement that comes next; the one that has none yet
	for _, p := range list {
		at, ends := released(p.sql)
		switch {
		case ends && last >= 0 && out[last].at < 0:
			out[last].at = at
		case ends:
			waits = at
		case paces(p.sql):
		case word(p.sql, 0) == "SET" && last < 0:
			out = append(out, moment{0, session, p.sql})
		default:
			last = len(out)
			out = append(out, moment{-1, session, p.sql})
			if waits > 0 { // it is sent once its moment is over: it answers only when it wakes
				out[last].at, waits = waits, 0
			}
		}
	}
	return out
}
