package importer

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	// recordWho and recordWhat are the keys of a record that say whose a statement is, and which.
	recordWho  = lazily(`(?i)^(?:session|transaction|txn|trx|tx|connection|conn|client|thread|user|terminal|window|process|who|worker|actor)(?:[_ -]?(?:id|no|name|number))?$`)
	recordWhat = lazily(`(?i)^(?:sql|statement|stmt|query|command|cmd|operation|op|action|exec|execute|run|step|text|q)$`)
	// recordSetup is the key of statements that come before all sessions.
	recordSetup = lazily(`(?i)^(?:set[-_]?up|schema|ddl|init\w*|prepare|preparation|before|given|tables?|data|fixtures?)$`)
	recordStart = lazily(`^(?:[\[{]|- |[\w-]+:(?:\s|$))`)
	recordFence = lazily("^(\\s*(?:```+|~~~+)).*$")
)

// records writes lists of steps in JSON, YAML and CSV, by themselves or in fences, as statements with their sessions in front.
// What is no such list stays as it is.
func (s *scanner) records(lines []string) {
	from := 0
	for i := 0; i <= len(lines); i++ {
		if i < len(lines) && !fenceLine.MatchString(lines[i]) {
			continue
		}
		r := recordReader{lines: lines[from:i], out: map[int]string{}, names: map[string]string{}}
		if r.read() {
			if from > 0 {
				lines[from-1] = recordFence.ReplaceAllString(lines[from-1], "$1")
			}
			for n := range r.lines {
				if n >= r.from {
					r.lines[n] = r.out[n+1]
				}
			}
			for _, line := range r.left {
				s.notes = append(s.notes, Note{from + line, "left out: a statement of the list of steps that is no session's", true})
			}
		}
		from = i + 1
	}
}

// recordReader reads one such list.
type recordReader struct {
	lines []string
	from  int               // lines above it are none of its own
	out   map[int]string    // what stands on a line, from 1
	names map[string]string // sessions by their names in the list
	left  []int             // lines of statements that it does not know what to do with
	said  int               // statements of sessions
}

// read says whether it is one: at least two statements, each with its session.
func (r *recordReader) read() bool {
	head := slices.IndexFunc(r.lines, func(line string) bool { return strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") })
	if head < 0 {
		return false
	}
	if recordStart.MatchString(strings.TrimSpace(r.lines[head])) {
		var doc yaml.Node // JSON is YAML, too
		if yaml.Unmarshal([]byte(strings.Join(r.lines, "\n")), &doc) == nil && len(doc.Content) > 0 && doc.Content[0].Kind != yaml.ScalarNode {
			r.walk(&doc, false)
		}
	}
	if r.said == 0 {
		r.table()
	}
	return r.said > 1
}

// walk reads what stands below a node; setup says that statements by themselves come before all sessions.
func (r *recordReader) walk(n *yaml.Node, setup bool) {
	switch n.Kind {
	case yaml.MappingNode:
		r.record(n, setup)
	case yaml.SequenceNode:
		if len(n.Content) == 2 && n.Content[1].Kind == yaml.ScalarNode && isStatement(n.Content[1].Value) && !isStatement(n.Content[0].Value) && n.Content[0].Value != "" {
			r.say(n.Content[1], n.Content[0].Value)
			return
		}
		for _, c := range n.Content {
			r.walk(c, setup)
		}
	case yaml.ScalarNode:
		if setup && isStatement(n.Value) {
			r.out[n.Line] += "/* init */ " + strings.Join(statements(flat(n.Value)), "; /* init */ ") + "; "
		} else if isStatement(n.Value) && (strings.Contains(n.Value, " ") || n.Style != 0) {
			r.left = append(r.left, n.Line)
		}
	default:
		for _, c := range n.Content {
			r.walk(c, setup)
		}
	}
}

// record reads keys and values: those of one statement, or others below which statements stand.
func (r *recordReader) record(n *yaml.Node, setup bool) {
	who, what := "", (*yaml.Node)(nil)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		switch {
		case value.Kind != yaml.ScalarNode:
		case who == "" && recordWho.MatchString(key):
			who = value.Value
		case what == nil && recordWhat.MatchString(key) && isStatement(value.Value):
			what = value
		}
	}
	if who == "" && what == nil && len(n.Content) == 2 && n.Content[1].Kind == yaml.ScalarNode && isStatement(n.Content[1].Value) && isName(n.Content[0].Value) {
		who, what = n.Content[0].Value, n.Content[1]
	}
	if who != "" && what != nil {
		r.say(what, who)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if value.Kind == yaml.SequenceNode && isName(key) && len(value.Content) > 0 &&
			!slices.ContainsFunc(value.Content, func(c *yaml.Node) bool { return c.Kind != yaml.ScalarNode || !isStatement(c.Value) }) {
			for _, c := range value.Content {
				r.say(c, key)
			}
			continue
		}
		r.walk(value, setup || recordSetup.MatchString(key))
	}
}

// isName says whether a key is a session's name.
func isName(key string) bool { return wholeSession.MatchString(key) || oneLetter.MatchString(key) }

var oneLetter = lazily(`^(?:[A-Za-z]|\d{1,2})$`)

func (r *recordReader) say(what *yaml.Node, who string) { r.add(what.Line, who, what.Value) }

func (r *recordReader) add(line int, who, sql string) {
	name := r.names[who]
	switch {
	case name != "":
	case wholeSession.MatchString(who):
		name = who
	case oneLetter.MatchString(who):
		name = "session " + who
	default:
		name = fmt.Sprintf("session %d", len(r.names)+1)
	}
	r.names[who] = name
	for _, one := range statements(flat(sql)) {
		r.out[line] += "/* " + name + " */ " + one + "; "
		r.said++
	}
}

// flat is a statement on one line.
func flat(sql string) string {
	if strings.Contains(sql, "--") {
		return sql
	}
	return strings.Join(strings.Fields(sql), " ")
}

// table reads a table with commas, semicolons or tabs between its cells; its heading says which of them name sessions.
func (r *recordReader) table() {
	for n, line := range r.lines {
		for _, comma := range []rune{',', ';', '\t'} {
			who, what := -1, -1
			for i, cell := range strings.Split(line, string(comma)) {
				switch cell = strings.Trim(strings.TrimSpace(cell), `"`); {
				case who < 0 && (listWho.MatchString(cell) || recordWho.MatchString(cell)):
					who = i
				case what < 0 && (listWhat.MatchString(cell) || recordWhat.MatchString(cell) && !strings.EqualFold(cell, "step")):
					what = i
				}
			}
			if who < 0 || what < 0 {
				continue
			}
			in := csv.NewReader(strings.NewReader(strings.Join(r.lines[n+1:], "\n")))
			in.Comma, in.LazyQuotes, in.FieldsPerRecord, in.TrimLeadingSpace = comma, true, -1, true
			for {
				row, err := in.Read()
				if err == io.EOF {
					break
				}
				if err != nil || len(row) <= max(who, what) || !isStatement(row[what]) || row[who] == "" {
					r.said = 0 // none of those: what it holds is left as it is
					return
				}
				at, _ := in.FieldPos(what)
				r.add(n+1+at, row[who], row[what])
			}
			r.from = n
			return
		}
	}
}
