package testcase

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// schedule reads the entries of the schedule, whose section line is at start.
func (p *parser) schedule(start int) error {
	p.scheduled = true
	err := p.entries(func(at int, entry string) error {
		n, ok := ParseTxn(entry)
		if !ok {
			return p.errorf(at, "schedule entry %s: want a transaction such as T0", quote(entry))
		}
		if n >= len(p.c.Txns) {
			return p.errorf(at, "schedule entry %q: the case has no such transaction", entry)
		}
		p.c.Schedule = append(p.c.Schedule, n)
		return nil
	})
	if err != nil {
		return err
	}
	if err := p.c.checkSchedule(); err != nil {
		return p.errorf(start, "%s", err)
	}
	if err := p.c.checkPrepared(); err != nil {
		return p.errorf(start, "%s", err)
	}
	return nil
}

// equivalentOrder reads the entries of the order, whose section line is at start.
func (p *parser) equivalentOrder(start int) error {
	err := p.entries(func(at int, entry string) error {
		r, ok := ParseRef(entry)
		if !ok {
			return p.errorf(at, "order entry %s: want a statement such as T0.S0", quote(entry))
		}
		p.c.Order = append(p.c.Order, r)
		return nil
	})
	if err != nil {
		return err
	}
	if len(p.c.Order) == 0 {
		return p.errorf(start, "the order is empty: leave the section out, or name statements such as T0.S0")
	}
	if err := p.c.checkOrder(); err != nil {
		return p.errorf(start, "%s", err)
	}
	return nil
}

// ParseRef reads a statement's name as Ref.String writes it.
func ParseRef(s string) (r Ref, ok bool) {
	txn, stmt, found := strings.Cut(s, ".S")
	if r.Txn, ok = ParseTxn(txn); !ok || !found {
		return r, false
	}
	n, err := strconv.Atoi(stmt)
	r.Stmt = n
	return r, err == nil && strconv.Itoa(n) == stmt
}

// entries gives the words of a section to each, up to the next section or the end; a comment ends a line.
func (p *parser) entries(each func(at int, entry string) error) error {
	for p.pos < len(p.text) {
		at, line := p.line()
		if name, _, isSection := sectionName(line); isSection {
			if name != secOrder || p.last == secOrder {
				return p.errorf(at, "section %q after section %q, which must come last", name, p.last)
			}
			p.pos = at
			return nil
		}
		for line != "" {
			if line[0] == '#' {
				p.pending = append(p.pending, line)
				break
			}
			entry := line
			if i := strings.IndexAny(line, space); i >= 0 {
				entry = line[:i]
			}
			line = strings.Trim(line[len(entry):], space)
			if err := each(at, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

func printSchedule(b *bytes.Buffer, schedule []int) {
	printWords(b, secSchedule, scheduleWords(schedule))
}

// scheduleWords spells out a schedule as its section does.
func scheduleWords(schedule []int) []string {
	words := make([]string, len(schedule))
	for i, n := range schedule {
		words[i] = txnName(n)
	}
	return words
}

// ScheduleLine is the case's schedule in one line: "T0 T1 T0 …".
func (c *Case) ScheduleLine() string { return strings.Join(scheduleWords(c.Schedule), " ") }

func printOrder(b *bytes.Buffer, order []Ref) {
	words := make([]string, len(order))
	for i, r := range order {
		words[i] = r.String()
	}
	printWords(b, secOrder, words)
}

// printWords prints a section of words, as many on a line as scheduleWidth allows.
func printWords(b *bytes.Buffer, section string, words []string) {
	if len(words) == 0 {
		return
	}
	fmt.Fprintf(b, "\n-- %s --\n", section)
	column := 0
	for i, w := range words {
		switch {
		case i == 0:
		case column+1+len(w) > scheduleWidth:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	b.WriteByte('\n')
}

// ParseOrder reads the names of statements, such as "T1.S0 T0.S0".
func ParseOrder(text string) ([]Ref, error) {
	var order []Ref
	for _, entry := range strings.Fields(text) {
		r, ok := ParseRef(entry)
		if !ok {
			return nil, fmt.Errorf("order entry %s: want a statement such as T0.S0", quote(entry))
		}
		order = append(order, r)
	}
	return order, nil
}
