package testcase

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// StmtID is the identity of a statement of a transaction, its BEGIN and its end among them. It stays the statement's
// own while the case around it is edited, and its text is, where its place (Ref) moves: what is to hold of a statement
// in every form of the case goes by it. No two statements of a case have the same, nor does one that is put into the
// case get what another had before it. 0 is none yet.
type StmtID int

// maxIdentity is far above what edits come to.
const maxIdentity = 999_999_999

// Number gives the statements of the transactions the identities of their places, 1, 2, 3, …, as a case has them that
// has just been made, and returns the case.
func (c *Case) Number() *Case {
	c.given = 0
	for s := range c.steps() {
		c.given++
		s.ID = c.given
	}
	return c
}

// Identify gives identities to the statements that have been put into the case since the others got theirs, and returns
// the case.
func (c *Case) Identify() *Case {
	var ids []StmtID
	ids, c.given = c.identified()
	i := 0
	for s := range c.steps() {
		s.ID = ids[i]
		i++
	}
	return c
}

// identified returns what Identify gives, and the last identity that the case has given then.
func (c *Case) identified() (ids []StmtID, given StmtID) {
	given = c.given
	for s := range c.steps() {
		ids, given = append(ids, s.ID), max(given, s.ID)
	}
	for i := range ids {
		if ids[i] == 0 {
			given++
			ids[i] = given
		}
	}
	return ids, given
}

// steps are the statements of the transactions in the order of the case's text.
func (c *Case) steps() iter.Seq[*Stmt] {
	return func(yield func(*Stmt) bool) {
		for n := range c.Txns {
			for i := range c.Txns[n].Steps() {
				if !yield(c.Txns[n].Step(i)) {
					return
				}
			}
		}
	}
}

// checkIdentities reports an identity that is none, and the second of two statements that have the same.
func (c *Case) checkIdentities() error {
	ids, given := c.identified()
	if given > maxIdentity {
		return fmt.Errorf("a statement has the identity %d: want %d at most", given, maxIdentity)
	}
	seen := make(map[StmtID]bool, len(ids))
	for _, id := range ids {
		switch {
		case id < 0:
			return fmt.Errorf("a statement has the identity %d: want a number above 0", id)
		case seen[id]:
			return fmt.Errorf("two statements have the identity %d", id)
		}
		seen[id] = true
	}
	return nil
}

// identityOf is the word before the last identity that was given, where no statement has that any more.
const identityOf = "of"

// identities spells out the identities in the order of the text: "1-4 9 6 of 12". It is "" where they are those of the
// places.
func (c *Case) identities() string {
	ids, given := c.identified()
	placed := len(ids) == int(given)
	var words []string
	for i := 0; i < len(ids); {
		from := i
		for i++; i < len(ids) && ids[i] == ids[i-1]+1; i++ {
		}
		word := strconv.Itoa(int(ids[from]))
		if i-from > 1 {
			word += "-" + strconv.Itoa(int(ids[i-1]))
		}
		words = append(words, word)
		placed = placed && int(ids[from]) == from+1
	}
	if placed {
		return ""
	}
	if !slices.Contains(ids, given) {
		words = append(words, identityOf, strconv.Itoa(int(given)))
	}
	return strings.Join(words, " ")
}

// identify gives the statements the identities that the header spells out, or those of their places.
func (p *parser) identify() error {
	if p.identitiesAt < 0 {
		p.c.Number()
		return nil
	}
	ids, given, err := readIdentities(p.identities, len(p.c.Schedule))
	if err == nil {
		err = p.c.take(ids, given)
	}
	if err != nil {
		return p.errorf(p.identitiesAt, "header field %q: %s; without it they are those of the places", fieldStatements, err)
	}
	return nil
}

// take gives the statements these identities.
func (c *Case) take(ids []StmtID, given StmtID) error {
	i := 0
	for s := range c.steps() {
		if i < len(ids) {
			s.ID = ids[i]
		}
		i++
	}
	if i != len(ids) {
		return fmt.Errorf("want one identity for each of the transactions' %d statements, BEGIN and ends among them", i)
	}
	c.given = given
	return c.checkIdentities()
}

// readIdentities reads what identities spells, of at most so many statements and one more, and the last identity that
// was given.
func readIdentities(text string, most int) (ids []StmtID, given StmtID, err error) {
	words := strings.Fields(text)
	said := StmtID(0)
	if n := len(words) - 2; n > 0 && words[n] == identityOf {
		if said, err = readIdentity(words[n+1]); err != nil {
			return nil, 0, err
		}
		words = words[:n]
	}
	for _, word := range words {
		first, last, isRange := strings.Cut(word, "-")
		from, err := readIdentity(first)
		to := from
		if err == nil && isRange {
			to, err = readIdentity(last)
		}
		if err != nil || isRange && to <= from {
			return nil, 0, fmt.Errorf("%s: want numbers such as \"1-4 9 6 of 12\"", quote(word))
		}
		for id := from; id <= to && len(ids) <= most; id++ {
			ids, given = append(ids, id), max(given, id)
		}
	}
	if said != 0 && said <= given {
		return nil, 0, fmt.Errorf("%d is not above all others", said)
	}
	return ids, max(given, said), nil
}

// readIdentity reads one number as it is printed.
func readIdentity(word string) (StmtID, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > maxIdentity || strconv.Itoa(n) != word {
		return 0, errors.New(quote(word) + ": want a number from 1 to " + strconv.Itoa(maxIdentity))
	}
	return StmtID(n), nil
}
