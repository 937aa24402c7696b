// Package importing runs what people wrote as it stands, says what it shows, and holds it against every serial order
// and against what the oracles say.
package importing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"txweave/campaign/replay"
	"txweave/campaign/target"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/report/page"
	"txweave/report/timeline"
	"txweave/sdg"
	"txweave/sql/sqltext"
	"txweave/testcase"
	"txweave/testcase/importer"
	"txweave/weave"
	"txweave/weave/script"
)

// Config says how a text is run. Errors call its fields by the flags that set them.
type Config struct {
	Target  target.Config
	Options importer.Options // how it is read
	Timeout time.Duration    // after which a statement that does not answer is ended
	Page    string           // where the timeline goes; "": the text's name with .html, here
}

// Run reads a text, runs each of its schedules, and says what came of it; the error says how the worst of them ended.
func (c *Config) Run(ctx context.Context, name string, text []byte, w io.Writer) (err error) {
	schedules, err := asked.Obeying(ctx, func() ([]importer.ScriptOrder, error) {
		return importer.ReadScripts(name, text, c.Options, c.Target.DSN == "")
	})
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		return outcome.Misuse(err)
	}
	var worst error
	var fl held
	defer func() { err = errors.Join(err, fl.close()) }()
	fmt.Fprintf(w, "read as: %s\n", schedules[0].Format)
	for i, s := range schedules {
		if len(schedules) > 1 {
			fmt.Fprintf(w, "%s== %d of %d, line %d: %s\n", strings.Repeat("\n", min(i, 1)), i+1, len(schedules), s.Line,
				finding.Line(s.Title))
		}
		for _, n := range s.Notes {
			fmt.Fprintf(w, "%s:%d: %s\n", name, n.Line, finding.Line(n.Text))
		}
		page := c.pageName(name)
		if len(schedules) > 1 {
			page = fmt.Sprintf("%s.%d.html", strings.TrimSuffix(page, ".html"), i+1)
		}
		err := c.schedule(ctx, &fl, &s, page, w)
		code, said := outcome.Of(err)
		if err != nil && (!said || code != outcome.Findings && code != outcome.Inconclusive) {
			return err
		}
		if worst == nil || err != nil && code == outcome.Findings {
			worst = err
		}
	}
	return worst
}

// pageName is where the page of a text goes.
func (c *Config) pageName(name string) string {
	if c.Page != "" {
		return c.Page
	}
	base := filepath.Base(name)
	if name == "-" {
		base = "import"
	}
	return strings.TrimSuffix(base, filepath.Ext(base)) + ".html"
}

// held is a fleet that is kept from one schedule to the next, as long as they run at one level: each gets a server of
// its own from it, and what servers are copied from is made once.
type held struct {
	*target.Fleet
	level string
}

// use runs do with a target.
func (h *held) use(ctx context.Context, on *target.Chosen, do func(exec.Target) error) (err error) {
	if h.Fleet != nil && h.level != on.Isolation {
		if err := h.close(); err != nil {
			return err
		}
	}
	if h.Fleet == nil {
		if h.Fleet, err = on.Fleet(ctx); err != nil {
			return err
		}
		h.level = on.Isolation
	}
	t, err := h.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t)
}

func (h *held) close() error {
	if h.Fleet == nil {
		return nil
	}
	fl := h.Fleet
	h.Fleet = nil
	return fl.Close()
}

// schedule runs one schedule.
func (c *Config) schedule(ctx context.Context, fl *held, s *importer.ScriptOrder, path string, w io.Writer) error {
	to := c.Target
	if s.Script.Isolation != "" {
		to.Isolation = s.Script.Isolation
	}
	on, err := to.Resolve(ctx)
	if err != nil {
		return err
	}
	p := on.Profile
	var out *script.Showing
	say := &conclusion{w: w}
	err = fl.use(ctx, on, func(t exec.Target) error {
		var err error
		o := script.Options{Patience: exec.Patience{Statement: c.Timeout}, Anew: s.Script.ChangesServer()}
		if out, err = script.Check(ctx, t, p, s.Script, o); err != nil {
			return replay.Explain(ctx, t, err)
		}
		d := t.Describe()
		fmt.Fprintln(w, strings.Join(append([]string{d.Target + " " + d.Version}, out.Levels...), ", "))
		if asked := s.Script.Isolation; asked != "" && !slices.Contains(out.Levels, asked) {
			say.say(false, "level: what the text's sessions are set to holds, %s, not %s",
				strings.Join(out.Levels, " and "), asked)
		} else {
			say.unheeded(out)
		}
		find := found(on, out, t)
		printScript(w, out)
		if err := writePage(ctx, path, find, w); err != nil {
			return err
		}
		say.sessions(out)
		say.engine(out, t.Log() == "")
		say.orders(p, out)
		switch {
		case out.Run.Down != nil:
			return nil
		case len(out.Run.Busy) > 0:
			say.say(false, "oracles: not asked: they would wait for it, too")
			return nil
		}
		return say.watched(ctx, t, p, out)
	})
	if err != nil {
		return err
	}
	return say.conclude(out, s.Notes)
}

// watched has the oracles judge the transactions with their rows and versions watched, where the tables can be given
// what that needs.
func (c *conclusion) watched(ctx context.Context, t exec.Target, p *dbms.Profile, out *script.Showing) error {
	if !slices.ContainsFunc(out.Units, func(u script.RunUnit) bool { return u.Data }) {
		c.say(false, "oracles: not asked: no statement reads or writes rows")
		return nil
	}
	p, err := out.Judged(p)
	if err != nil {
		c.say(false, "oracles: not asked: %v", err)
		return nil
	}
	s := *out.Script
	s.Target, s.Isolation = p.DBMS, p.Isolation
	asIs, at, err := s.Case(out.WatchedAt(p))
	if err != nil {
		c.say(false, "oracles: not asked: %s", finding.Line(err.Error()))
		return nil
	}
	rep, err := watch(ctx, t, p, asIs)
	if handed := importer.HandedOut(asIs); handed != asIs && misused(err) {
		var again error
		if rep, again = watch(ctx, t, p, handed); again == nil {
			c.say(false, "oracles: asked with the numbers and times written out that the database hands out")
			err = nil
		}
	}
	var crash *exec.CrashError
	var lost *exec.LostError // of which was said already what it says
	switch {
	case errors.As(err, &crash):
		c.say(true, "oracles: the server crashed: %s", crash.Reason)
		return nil
	case misused(err):
		c.say(false, "oracles: not asked: %s", finding.Line(err.Error()))
		return nil
	case errors.Is(err, exec.ErrTimeout) || errors.As(err, &lost):
		c.say(false, "oracles: no answer: %s", finding.Line(err.Error()))
		return nil
	case err != nil:
		return err
	}
	evidence := append(rep.Findings, rep.Unconfirmed...)
	for _, ev := range evidence {
		replay.PrintEvidence(c.w, 1, ev)
	}
	other := c.otherwise(out, script.NewWatched(p, rep.First, at))
	promise := p.Promise().Isolation
	for _, level := range out.Levels {
		if level != p.Isolation {
			promise += ", with " + level + " beside it,"
		}
	}
	switch {
	case len(evidence) > 0:
		c.say(true, "oracles: %s promises otherwise", promise)
	case !rep.Checked:
		c.say(false, "oracles: inconclusive: %s", rep.Why)
	case other:
		c.say(false, "oracles: nothing that %s forbids in the watched run, which is not what the text shows", promise)
	default:
		c.say(false, "oracles: nothing that %s forbids, with every row and version watched", promise)
	}
	return nil
}

// otherwise says what the plain run answers otherwise than the watched one, or why it does; false where it does not.
func (c *conclusion) otherwise(out *script.Showing, w *script.Watched) bool {
	if w == nil {
		return false
	}
	other := out.Otherwise(w)
	parted := out.Parted(w)
	switch {
	case parted != "":
		c.say(false, "the watched run, with its rows and versions numbered, goes another way: %s", parted)
	case len(other) > 0:
		c.say(false, "the plain run answers otherwise than the watched one, with its rows and versions numbered:")
		printDifferences(c.w, other, "watched")
	}
	return parted != "" || len(other) > 0
}

// misused says whether an error is the user's.
func misused(err error) bool {
	code, said := outcome.Of(err)
	return err != nil && said && code == outcome.Usage
}

// watch runs a case with the bookkeeping that the oracles need. Where it cannot have that the error is the user's.
func watch(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case) (*weave.Report, error) {
	watched, err := importer.Keep(c)
	if err == nil {
		err = watched.Admit(sqltext.SyntaxOf(p.DBMS))
	}
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	if err := t.Empty(ctx); err != nil {
		return nil, err
	}
	return replay.Once(ctx, t, p, watched, weave.Options{Precision: sdg.Match})
}

// found is the outcome as the page shows it.
func found(on *target.Chosen, out *script.Showing, t exec.Target) *timeline.Dossier {
	find := &timeline.Dossier{Case: out.Case, Run: out.Trace,
		Record: finding.Record{Environment: target.Environment(on.Profile, on.Claim, nil, t.Describe())}}
	if len(out.Levels) == 1 {
		find.Record.Environment.Isolation = out.Levels[0]
	}
	if len(out.Unlike) > 0 {
		find.Record.Class, find.Record.Differences, find.Replayed = finding.ClassReplay, out.Unlike, out.Alone
	} else if len(out.Order) > 0 {
		find.Record.Differences, find.Replayed, find.Beside = out.Differences, out.Serial, "in the serial order "+
			orderText(out.Order)
	}
	switch {
	case out.NotHeld != "":
		find.Record.Summary = "Not held against serial orders: " + out.NotHeld + "."
	case out.Fits:
		find.Record.Summary = "The serial order " + orderText(out.Order) + " gives the same answers."
	default:
		find.Record.Summary = "No serial order gives these answers; " + orderText(out.Order) + " comes nearest."
	}
	return find
}

func writePage(ctx context.Context, path string, find *timeline.Dossier, w io.Writer) error {
	text, err := page.Write(find)
	if err != nil {
		return err
	}
	if err := output.File(ctx, path, text); err != nil {
		return outcome.Misuse(err)
	}
	fmt.Fprintf(w, "page: %s\n", path)
	return nil
}

// printScript prints what happened, moment by moment.
func printScript(w io.Writer, out *script.Showing) {
	quiet := map[int]bool{} // transactions that are none: settings
	for n, u := range out.Units {
		quiet[n] = !u.Data
	}
	t := timeline.Build(out.Case, out.Trace, nil, nil, nil)
	width := 0
	for _, l := range t.Lanes {
		width = max(width, len(l.Name))
	}
	for _, m := range t.Marks {
		at := fmt.Sprintf("  %-*s  %-6s", width, t.Lanes[m.Step.Lane].Name, shortName(m.Step, quiet))
		control := m.Step.Role != history.Target || quiet[m.Step.Txn] && m.Step.Answer.Rows == nil
		switch m.Kind {
		case timeline.Blocked:
			fmt.Fprintf(w, "%s  %s  -- waits\n", at, clipped(m.Step.SQL))
			if m.Step.Answered {
				continue
			}
			fmt.Fprintf(w, "%s  no answer\n", strings.Repeat(" ", len(at)))
			continue
		case timeline.Resumed:
			fmt.Fprintf(w, "%s  … goes on: %s\n", at, clipped(m.Step.SQL))
		default:
			fmt.Fprintf(w, "%s  %s\n", at, clipped(m.Step.SQL))
		}
		if m.Step.Gone {
			fmt.Fprintf(w, "%s    -- no transaction is open any more\n", strings.Repeat(" ", len(at)))
		}
		if control && m.Step.Answer.Err == nil && len(m.Step.Answer.Warnings) == 0 {
			continue
		}
		for _, line := range timeline.AnswerLines(&m.Step.Answer) {
			fmt.Fprintf(w, "%s    %s\n", strings.Repeat(" ", len(at)), finding.Line(line))
		}
	}
}

// shortName names a target statement; what opens or ends a transaction needs none.
func shortName(s *timeline.LaneStep, quiet map[int]bool) string {
	if s.Role == history.Target && !quiet[s.Txn] {
		return s.Name
	}
	return ""
}

func clipped(sql string) string {
	const limit = 110
	text := finding.Line(strings.Join(strings.Fields(sql), " "))
	if r := []rune(text); len(r) > limit {
		text = string(r[:limit]) + "…"
	}
	return text
}

// conclusion says what a run shows.
type conclusion struct {
	w     io.Writer
	wrong bool
	// around is what lies around the database that ended the run, unless something is wrong: an error with its exit code.
	around error
}

// say prints a line; wrong marks what must not happen.
func (c *conclusion) say(wrong bool, format string, args ...any) {
	c.wrong = c.wrong || wrong
	fmt.Fprintf(c.w, format+"\n", args...)
}

// conclude says what the run shows, and with which exit code that ends.
func (c *conclusion) conclude(out *script.Showing, notes []importer.Note) error {
	c.printed(out)
	missing := map[int]bool{} // lines
	for _, n := range notes {
		if n.Missing {
			missing[n.Line] = true
		}
	}
	for i, e := range out.Run.Setup {
		if e.Err != nil {
			missing[out.Script.Setup[i].Line] = true
			c.say(false, "line %d: the set-up fails here: %s: %s", out.Script.Setup[i].Line, clipped(e.Text),
				finding.Line(e.Err.String()))
		}
	}
	for i, e := range out.Run.Steps {
		if e == nil || e.Err == nil {
			continue
		}
		if script.NotUnderstood(e.Err.Message) {
			missing[out.Script.Steps[i].Line] = true
			c.say(false, "line %d: the database does not understand this: %s", out.Script.Steps[i].Line, clipped(e.Text))
		} else if name := out.Missing(e.Err); name != "" {
			missing[out.Script.Steps[i].Line] = true
			c.say(false, "line %d: the text never makes the table %s: %s", out.Script.Steps[i].Line, finding.Line(name),
				clipped(e.Text))
		}
	}
	switch {
	case c.wrong:
		return outcome.Found()
	case c.around != nil:
		return c.around
	case len(missing) == 1:
		return outcome.End(outcome.Inconclusive,
			errors.New("1 line of the text was left out or not run, as said above: the rest may not show the bug"))
	case len(missing) > 1:
		return outcome.End(outcome.Inconclusive, fmt.Errorf(
			"%d lines of the text were left out or not run, as said above: the rest may not show the bug", len(missing)))
	case preparesOnly(out):
		return outcome.End(outcome.Inconclusive,
			errors.New("nothing to judge: the text makes tables and rows, and has no query and no transaction"))
	}
	return nil
}

// preparesOnly says whether a text does no more than make tables and rows, and says of none of it what it was answered.
func preparesOnly(out *script.Showing) bool {
	return len(out.Printed()) == 0 && !slices.ContainsFunc(out.Script.Steps, func(s testcase.ScriptStmt) bool {
		switch sqltext.KindOf(s.SQL) {
		case sqltext.Create, sqltext.Alter, sqltext.Define, sqltext.Insert, sqltext.Set:
			return false
		}
		return true
	})
}

// engine says what the database itself did wrong. Between a server of the user's and this process there is a network,
// which loses connections, too.
func (c *conclusion) engine(out *script.Showing, users bool) {
	var crash *exec.CrashError
	var hang *exec.HangError
	switch {
	case errors.As(out.Run.Down, &crash) && crash.Killed:
		c.around = fmt.Errorf("%w: %w", exec.ErrUnavailable, crash)
	case errors.As(out.Run.Down, &hang) && !hang.Proved():
		c.around = replay.Hanging(hang)
	case errors.As(out.Run.Down, &crash):
		c.say(true, "the server crashed: %s\n%s", crash.Reason, crash.Log)
	case out.Run.Down != nil:
		c.say(true, "the server hangs: %s", finding.Line(out.Run.Down.Error()))
	}
	for _, d := range out.Disagree {
		c.say(true, "reads of one state that cannot both be true: %s %s", d.Stmt, finding.Line(d.Detail()))
	}
	for _, d := range out.Impossible {
		c.say(true, "an error that no statement can cause: %s %s", d.Stmt, finding.Line(d.Detail()))
	}
	for i, e := range out.Run.Steps {
		if e != nil && e.Gone {
			c.say(true,
				"line %d: with its answer the database says that no transaction is open any more, which nothing had ended: %s",
				out.Script.Steps[i].Line, clipped(out.Script.Steps[i].SQL))
		}
	}
	for _, i := range out.Run.Lost {
		if out.Silence != "" {
			c.say(false, "line %d: the connection was ended, as the text's %s does: %s", out.Script.Steps[i].Line, out.Silence,
				clipped(out.Script.Steps[i].SQL))
			continue
		}
		if users {
			c.around = outcome.End(outcome.Inconclusive,
				errors.New("inconclusive: a connection was lost, which the network may have done"))
		}
		c.say(!users, "line %d: the connection was lost, and the server lives on: %s", out.Script.Steps[i].Line,
			clipped(out.Script.Steps[i].SQL))
	}
	busy := len(out.Run.Busy) > 0 // others may have waited for it
	if busy {
		c.around = outcome.End(outcome.Inconclusive,
			errors.New("inconclusive: a statement runs for longer than --timeout, and waits for nobody"))
	}
	if len(out.Run.Killed) > 0 && out.OwnWaits && !busy {
		busy = true
		c.around = outcome.End(outcome.Inconclusive,
			errors.New("inconclusive: a statement waits for longer than --timeout, and the text sets how long it may"))
	}
	for _, i := range out.Run.Killed {
		if i >= 0 {
			c.say(!busy, "line %d: no answer in time; it was ended from outside: %s", out.Script.Steps[i].Line,
				clipped(out.Script.Steps[i].SQL))
		}
	}
}

// unheeded says which sessions run at another level than the one that the text sets: some databases do nothing at a
// SET TRANSACTION outside of a transaction.
func (c *conclusion) unheeded(out *script.Showing) {
	set, said := out.Script.Levels(), map[int]bool{}
	for _, u := range out.Units {
		if first := u.Steps[0]; u.Data && !said[u.Session] && set[first] != "" && set[first] != out.At[first] {
			said[u.Session] = true
			c.say(false, "level: the text sets %s, and %s runs at %s all the same", set[first],
				finding.Line(out.Script.Sessions[u.Session]), out.At[first])
		}
	}
}

// sessions says whose transactions have which numbers, where the text has sessions of such names itself.
func (c *conclusion) sessions(out *script.Showing) {
	alike := func(name string) bool {
		digits, ok := strings.CutPrefix(strings.ToUpper(name), "T")
		return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
	}
	if !slices.ContainsFunc(out.Script.Sessions, alike) {
		return
	}
	var of []string
	for n, u := range out.Units {
		if u.Data && n < script.MaxTransactions {
			words := "of its"
			if len(of) == 0 {
				words = "is of the text's"
			}
			of = append(of, fmt.Sprintf("T%d %s %s", n, words, finding.Line(out.Script.Sessions[u.Session])))
		}
	}
	if len(of) > 0 {
		c.say(false, "transactions: %s", strings.Join(of, ", "))
	}
}

// orders says which serial order gives the answers, or that none does, and what the level says of that.
func (c *conclusion) orders(p *dbms.Profile, out *script.Showing) {
	transactions := 0
	for _, u := range out.Units {
		if u.Data {
			transactions++
		}
	}
	const serializable = "serializable"
	promised := len(out.Levels) == 1 && out.Levels[0] == serializable || p.Claimed != nil &&
		p.Claimed.Isolation == serializable
	promised = promised && out.SeenBefore == 0
	for _, r := range out.Remarks {
		c.say(false, "line %d: %s", out.Script.Steps[r.Step].Line, r.Text)
	}
	for _, a := range out.Apart {
		c.say(false, "%s", out.ApartText(a))
	}
	tried := fmt.Sprintf("%d tried, %s", out.Tried, finding.Count(transactions, "transaction"))
	switch {
	case out.NotHeld != "":
		c.say(false, "not held against serial orders: %s", out.NotHeld)
		return
	case out.Fits && !out.Early:
		c.say(false, "serial orders: %s gives these answers (%s)", orderText(out.Order), tried)
	case out.Fits:
		c.say(promised,
			"serial orders: only %s gives these answers, though a transaction in it had ended before another one began that "+
				"it puts first (%s)", orderText(out.Order), tried)
	default:
		c.say(promised, "serial orders: no serial order gives these answers (%s); nearest is %s:", tried,
			orderText(out.Order))
		printDifferences(c.w, out.Differences, "in that order")
	}
	switch {
	case out.Fits && !out.Early:
	case promised:
		c.say(true, "level: serializable promises a serial order")
	case out.SeenBefore > 0:
		c.say(false, "level: no level promises a serial order of what line %d does: older snapshots see it", out.SeenBefore)
	case len(out.Levels) > 1:
		c.say(false, "level: %s side by side do not promise a serial order", strings.Join(out.Levels, " and "))
	default:
		c.say(false, "level: %s does not promise a serial order", strings.Join(out.Levels, ""))
	}
	if len(out.Unlike) > 0 {
		c.say(true, "without transactions the statements of that order answer otherwise:")
		printDifferences(c.w, out.Unlike, "without")
	}
}

// printed compares with what the text prints.
func (c *conclusion) printed(out *script.Showing) {
	all := out.Printed()
	same, compared := 0, 0
	for _, x := range all {
		line, has := out.Script.Steps[x.Step].Line, "the text has"
		if x.Expected {
			has = "the text expects"
		}
		switch {
		case x.Unlike:
			c.say(false, "line %d: what the text says of its answer is not compared: the answer is no list of one column", line)
			continue
		case x.Same:
			same++
		default:
			c.say(false, "line %d: %s: %s; now: %s", line, has, finding.Line(x.Was), finding.Line(x.Now))
		}
		compared++
	}
	if compared > 0 {
		c.say(false, "printed answers: %d of %d come back", same, compared)
	}
}

func orderText(order []int) string {
	words := make([]string, len(order))
	for i, n := range order {
		words[i] = fmt.Sprintf("T%d", n)
	}
	return strings.Join(words, " ")
}

func printDifferences(w io.Writer, diffs []finding.Difference, other string) {
	for i, d := range diffs {
		if i == 10 {
			fmt.Fprintf(w, "  … and %d more\n", len(diffs)-i)
			return
		}
		head := fmt.Sprintf("  %s %s %s %s", d.Stmt, d.Kind, finding.Line(d.Told()), finding.Line(d.Detail()))
		fmt.Fprintf(w, "%s\n    here: %s\n    %s: %s\n", strings.TrimRight(head, " "), finding.Line(d.Transaction.String()),
			other, finding.Line(d.Replay.String()))
	}
}
