package script

import (
	"strconv"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/exec"
)

// A wait whose limit the text sets is waited out if that is at most mostLimit, and spare longer than it says.
const (
	mostLimit = 10 * time.Second
	spare     = 5 * time.Second
)

// waitOut has waits last as long as the text lets them. Where a session's statement is followed by another one of its
// own, what other sessions do behind that cannot have ended its wait: only its limit can. Where another session comes
// next, it may have been that one, and nothing is waited for.
func (c *checker) waitOut(moves []exec.Move) {
	limits := make([]map[string]time.Duration, len(c.out.Script.Sessions))
	for i := range limits {
		limits[i] = map[string]time.Duration{}
		for _, st := range c.out.Script.Setup { // what is set of the server there is each session's
			c.limit(limits[i], st.SQL)
		}
	}
	for i := range moves {
		m := &moves[i]
		if i > 1 && moves[i-1].Session == moves[i-2].Session && moves[i-1].Session != m.Session {
			if limit := shortest(limits[moves[i-1].Session]); limit > 0 {
				m.Behind, m.Within = i-1, limit+spare
			}
		}
		c.limit(limits[m.Session], m.SQL)
	}
}

// limit takes the limits that a statement sets.
func (c *checker) limit(limits map[string]time.Duration, text string) {
	for _, x := range c.profile.WaitLimits {
		if value, ok := c.profile.Read(text).Sets(x.Setting); ok {
			limits[x.Setting] = limitOf(x, value)
		}
	}
}

// shortest is the shortest of limits that is waited out; 0 for none.
func shortest(limits map[string]time.Duration) (least time.Duration) {
	for _, d := range limits {
		if d > 0 && d <= mostLimit && (least == 0 || d < least) {
			least = d
		}
	}
	return least
}

// limitOf reads the value of a limit: a number, or one with a unit; 0 where it is none.
func limitOf(x dbms.WaitLimit, value string) time.Duration {
	if n, err := strconv.ParseInt(value, 10, 32); err == nil {
		return time.Duration(n) * x.Unit
	}
	d, err := time.ParseDuration(strings.ReplaceAll(value, " ", ""))
	if err != nil {
		return 0
	}
	return d
}
