// Package functions is the catalogue of the functions that databases have: what class their values are of, of what
// their values are functions, and what they do beside giving one.
package functions

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Database is one whose functions are known, or several of them, each as one bit.
type Database uint32

// By returns the databases of letters, from a to z, by which the catalogue's lines name them; '-' is none.
func By(letters string) (d Database) {
	for _, letter := range []byte(letters) {
		if letter != '-' {
			d |= 1 << (letter - 'a')
		}
	}
	return d
}

// Value is the class of a function's value.
type Value uint8

// The classes of values.
const (
	AnyValue Value = iota
	ExactNumber
	FloatingNumber
	Characters
	Moment
)

var values = []string{"any", "exact", "floating", "text", "temporal"}

// Volatility is of what a function's value is a function.
type Volatility uint8

// The volatilities.
const (
	OfArguments  Volatility = iota // and of the contents of tables
	OfSession                      // another one in another session, at another time or after other statements
	UnlessGiven                    // OfSession without arguments
	OfOneAlone                     // OfSession with one argument
	UnlessATime                    // OfSession without arguments, of one format alone, and where an argument is 'now'
	OfClock                        // another one at another time
	OfChance                       // another one each time
	OfCounter                      // the next number that the database hands out, or the last one
	volatilities = "same session bare one time clock chance counter"
)

// Effect is what a call does beside giving a value.
type Effect uint8

// The effects.
const (
	Plain       Effect = iota // none
	Waits                     // it takes as long as it is told
	Locks                     // it takes locks of the database by their numbers, for which it may wait
	ServerLocks               // it takes locks of the whole server by their names, for which it may wait
	Outward                   // it reaches for files, programs, settings, sessions and servers
	effectWords = "plain waits locks server out"
)

// Function is what the catalogue knows of a function of some databases.
type Function struct {
	In         Database
	Value      Value
	Aggregate  bool // it makes one value of several rows
	Volatility Volatility
	Effect     Effect
}

//go:embed functions.txt
var text string

// catalogue are functions by their names; closed are beginnings of the names of others, which reach out.
var catalogue, closed = read(text)

// read reads the lines of a catalogue: databases, class, "value" or "aggregate", volatility and effect, a colon, and
// names, which go on in lines that begin with a tab. A name that ends in * begins those of others.
func read(text string) (out map[string]Function, closed []string) {
	out = map[string]Function{}
	var f Function
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		list := line
		if !strings.HasPrefix(line, "\t") {
			var head string
			head, list, _ = strings.Cut(line, ":")
			f = entry(strings.Fields(head))
		}
		for _, name := range strings.Fields(list) {
			if prefix, others := strings.CutSuffix(name, "*"); others {
				closed = append(closed, prefix)
				continue
			}
			if _, twice := out[name]; twice {
				panic(fmt.Sprintf("functions: %s stands in the catalogue twice", name))
			}
			out[name] = f
		}
	}
	return out, closed
}

// entry reads what stands in front of names.
func entry(head []string) (f Function) {
	if len(head) != 5 {
		panic(fmt.Sprintf("functions: %q is no beginning of a line", head))
	}
	word := func(i int, known []string) uint8 {
		at := slices.Index(known, head[i])
		if at < 0 {
			panic(fmt.Sprintf("functions: %s is unknown in %q", head[i], head))
		}
		return uint8(at)
	}
	f.In = By(head[0])
	f.Value, f.Aggregate = Value(word(1, values)), word(2, []string{"value", "aggregate"}) == 1
	f.Volatility, f.Effect = Volatility(word(3, strings.Fields(volatilities))),
		Effect(word(4, strings.Fields(effectWords)))
	return f
}

// Of returns what is known of a function of that name, in lower case, whatever database has it; ok is false where none
// has it.
func Of(name string) (f Function, ok bool) {
	f, ok = catalogue[name]
	return f, ok
}

// Has returns what is known of a function of that name, in lower case, of a database; ok is false where it has none.
func (d Database) Has(name string) (f Function, ok bool) {
	f, ok = catalogue[name]
	return f, ok && f.In&d != 0
}

// ReachesOut says whether a function of that name, in lower case, is known to reach out of the database, whichever has
// it.
func ReachesOut(name string) bool {
	if f, known := catalogue[name]; known {
		return f.Effect >= ServerLocks
	}
	return slices.ContainsFunc(closed, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Varies says whether a call of a function of that name, in lower case, gives another value in another session, at
// another time or after other statements; literals are those among its arguments, without their quotes.
func Varies(name string, arguments int, literals []string) bool {
	switch catalogue[name].Volatility {
	case OfSession, OfClock, OfChance, OfCounter:
		return true
	case UnlessGiven:
		return arguments == 0
	case OfOneAlone:
		return arguments == 1
	case UnlessATime:
		return arguments == 0 || name == "strftime" && arguments == 1 ||
			slices.ContainsFunc(literals, func(l string) bool { return strings.EqualFold(l, "now") })
	}
	return false
}
