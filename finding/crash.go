package finding

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// maxFrames is how many of a stack's innermost functions a signature names: enough to tell two bugs apart, few enough
// that one bug met on two ways stays one.
const maxFrames = 3

// framePrefix is what gdb, the sanitizers and servers put before a frame's function: "#2 0x55b5d2f1a3c2 in ".
var framePrefix = regexp.MustCompile(`^(?:#\d+\s+)?0x[0-9a-f]+\s+(?:in\s+)?|^#\d+\s+`)

// The forms of a stack frame, each with the function as its group.
var frameForms = []*regexp.Regexp{
	regexp.MustCompile(`^\S*/\S+\((\w+)\+0x[0-9a-f]+\)`),   // server(_ZN4JOIN4execEv+0x12)[0x…]
	regexp.MustCompile(`^\S+:\d+\((.+)\)\[0x[0-9a-f]+\]$`), // sql/sql_select.cc:4567(JOIN::exec())[0x…]
}

// goForm is a frame of a Go stack: example.org/engine/lib.step(0x…).
var goForm = regexp.MustCompile(`^([\w./-]+(?:\.\(\*?\w+\))?\.[\w.]+)\(.*\)$`)

// standardLibrary says whether a function is of Go's own library: those import paths begin with a word without a dot.
// What it does there, its caller made it do.
func standardLibrary(function string) bool {
	first, rest, _ := strings.Cut(function, "/")
	if rest == "" {
		first, _, _ = strings.Cut(function, ".")
	}
	return !strings.Contains(first, ".") && first != "txweave" && first != "main"
}

// handlers are functions that run because of a crash, or below every thread; they tell nothing about it. One that ends
// in a star stands for all that begin so.
var handlers = strings.Fields(
	`my_print_stacktrace my_print_backtrace handle_fatal_signal handle_segfault my_server_abort
	my_abort print_fatal_signal gsignal raise abort pthread_kill __pthread_kill* _assert* __assert* __restore_rt
	__GI_* __libc* killpg ut_dbg_assertion_failed ib::fatal::~fatal ib::fatal_or_error::~fatal_or_error start_thread clone
	clone3 __interceptor* __asan* pfs_spawn_thread panic std::* _start ??`)

func isHandler(function string) bool {
	return slices.ContainsFunc(handlers, func(h string) bool {
		begin, open := strings.CutSuffix(h, "*")
		return function == h || open && strings.HasPrefix(function, begin)
	})
}

// The lines that say why a process ended, the most decisive first.
var reasons = []*regexp.Regexp{
	regexp.MustCompile("(Assertion `?.+ failed)"),
	regexp.MustCompile(`(Assertion failure: .+|Failing assertion: .+)`),
	regexp.MustCompile(`(ERROR: \w+Sanitizer: \S+)`),
	regexp.MustCompile(`(?m)^(panic: .+|fatal error: .+)`),
	regexp.MustCompile(`(got signal \d+|got exception 0x[0-9a-f]+)`),
}

// betweenFrames stands between the functions of a crash's site, the innermost first.
const betweenFrames = "<"

// crashSite tells from the log of a crash where it happened: the innermost functions, demangled and without addresses,
// else the assertion or the message, without numbers; "" where the log has neither.
func crashSite(log string) string {
	if frames := frames(log); len(frames) > 0 {
		return strings.Join(frames, betweenFrames)
	}
	if frames := caughtFrames(log); len(frames) > 0 {
		return strings.Join(frames, betweenFrames)
	}
	for _, re := range reasons {
		if m := re.FindStringSubmatch(log); m != nil {
			return NormalizeError(m[1])
		}
	}
	return ""
}

// frames returns the innermost functions of the first stack trace in a log, as far as they are an embedded engine's.
func frames(log string) []string {
	var out []string
	for line := range strings.Lines(log) {
		name := frame(strings.TrimRight(line, "\r\n"))
		if len(out) == maxFrames || len(out) > 0 && Own(name) {
			break
		}
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// caughtFrames returns the innermost functions of the last panic in a log that a server in Go has caught: it ends the
// connection, and writes the stack in one line, [stack="function\n\tfile\nfunction\n\tfile"]. What stands above the
// panic is who caught it.
func caughtFrames(log string) []string {
	at := strings.LastIndex(log, `[stack="`)
	if at < 0 || !strings.Contains(log[:at], "panic") {
		return nil
	}
	stack, _, _ := strings.Cut(log[at+len(`[stack="`):], `"]`)
	at = strings.LastIndex(stack, `runtime.gopanic\n`)
	if at < 0 {
		return nil
	}
	var out []string
	for _, line := range strings.Split(stack[at:], `\n`) {
		if len(out) < maxFrames && !strings.HasPrefix(line, `\t`) && !standardLibrary(line) {
			out = append(out, line)
		}
	}
	return out
}

// Own says whether a function is txweave's.
func Own(function string) bool {
	return strings.HasPrefix(function, "txweave/") || strings.HasPrefix(function, "main.")
}

// TopFrame returns the innermost function of the first stack trace in a log that is no part of a runtime or of a
// crash handler; "" if there is none.
func TopFrame(log string) string {
	if f := frames(log); len(f) > 0 {
		return f[0]
	}
	return ""
}

// frame returns the function that a line of a stack trace names, without arguments; "" where it is none or says
// nothing.
func frame(line string) string {
	line = strings.TrimSpace(line)
	name := ""
	if rest := framePrefix.ReplaceAllString(line, ""); rest != line {
		name, _, _ = strings.Cut(rest, " at ")
	}
	for _, form := range frameForms {
		if m := form.FindStringSubmatch(line); m != nil {
			name = m[1]
		}
	}
	if m := goForm.FindStringSubmatch(line); m != nil && !standardLibrary(m[1]) {
		name = m[1]
	}
	name = bareName(demangle.Filter(name, demangle.NoParams, demangle.NoTemplateParams))
	if strings.HasPrefix(name, "<") || isHandler(name) {
		return ""
	}
	return name
}

// bareName cuts arguments and offsets off a function's name. A Go method keeps its receiver in parentheses.
func bareName(name string) string {
	name, _, _ = strings.Cut(name, "+0x")
	if i := strings.IndexByte(name, '('); i > 0 && name[i-1] != '.' && !strings.HasPrefix(name[i:], "(anonymous") {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

// What NormalizeError takes out of a message, in this order, and what stands for it.
var messageParts = []struct {
	find *regexp.Regexp
	with string
}{
	{regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`"), "?"},
	{regexp.MustCompile(`\b(?:0x)?[0-9a-f]*[0-9][0-9a-f]*\b`), "N"},
	{regexp.MustCompile(`(?:/[\w.+-]+)+/([\w.+-]+)`), "$1"},
}

// NormalizeError takes out of a message what differs from one time to the next: quoted names and values, numbers,
// addresses, directories.
func NormalizeError(message string) string {
	for _, p := range messageParts {
		message = p.find.ReplaceAllString(message, p.with)
	}
	return strings.Join(strings.FieldsFunc(message, func(r rune) bool {
		return strings.ContainsRune(" \t\n\f\r/", r)
	}), " ")
}

// MessageShape is NormalizeError for messages that name tables, columns and indexes without quotes: these go too, as
// far as they hold a digit or an underscore, as those of generated cases do.
func MessageShape(message string) string {
	words := strings.Split(NormalizeError(message), " ")
	for i, w := range words {
		if strings.ContainsAny(w, "0123456789_") {
			words[i] = "N"
		}
	}
	return strings.Join(words, " ")
}
