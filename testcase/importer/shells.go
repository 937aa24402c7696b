package importer

import (
	"slices"
	"strings"
)

var (
	// shellCall is a client that somebody starts in a shell; shellText is the statement that it is given.
	shellCall = lazily(`^\s*(?:\$|#|%|[\w.-]+@[\w.-]+[^$#]{0,40}[$#])?\s*(?:sudo\s+)?(?:[\w./-]*/)?(?:mysql|mariadb|psql|sqlite3|cockroach sql|tidb)\b(?:\s.*)?$`)
	shellText = lazily(`\s(?:-[A-Za-z]*e|-[A-Za-z]*c|--execute|--command)\s*=?\s*("(?:[^"\\]|\\.)*"|'[^']*')`)
	// sqliteText is what SQLite's shell is given behind its file.
	sqliteText = lazily(`\bsqlite3\s+(?:-\S+\s+)*[\w./-]+\s+("(?:[^"\\]|\\.)*"|'[^']*')`)
	hereStart  = lazily(`<<-?\s*['"]?(\w+)['"]?\s*$`)
	sideJob    = lazily(`(?:^|[^&])&\s*(?:#.*)?$`)
)

// shells writes the statements that a client is given in a shell's lines as statements by themselves. Each such line is a connection
// of its own: below a heading it is that session's, else it is nobody's, or after a transaction has begun one of its own.
func (s *scanner) shells(lines []string) {
	begun, headed, end, n := false, false, "", 0
	for i, line := range lines {
		if end != "" { // of what a client reads from the script
			if strings.TrimSpace(line) == end {
				lines[i], end = "", ""
			}
			continue
		}
		headed = headed || handsOver(strings.TrimSpace(line)) != ""
		if first := word(withoutPrompt(line), 0); first == "BEGIN" || first == "START" {
			begun = true
		}
		if !shellCall.MatchString(line) || isStatement(strings.TrimSpace(line)) || strings.HasSuffix(strings.TrimSpace(line), ":") {
			continue
		}
		m := shellText.FindStringSubmatch(line)
		if m == nil {
			m = sqliteText.FindStringSubmatch(line)
		}
		switch here := hereStart.FindStringSubmatch(line); {
		case m != nil:
			sql := m[1][1 : len(m[1])-1]
			if m[1][0] == '"' {
				sql = strings.NewReplacer(`\"`, `"`, "\\`", "`", `\$`, "$", `\\`, `\`).Replace(sql)
			}
			all := statements(sql)
			if len(all) == 0 || sideJob.MatchString(line[strings.Index(line, m[1])+len(m[1]):]) {
				continue // the shell goes on without waiting for it: nobody knows when it is sent
			}
			mark := ""
			if begun = begun || slices.ContainsFunc(all, func(sql string) bool { return !defines(sql) }); begun && !headed {
				mark = "/* process " + string(rune('a'+min(n, 25))) + " */ "
				n++
			}
			lines[i] = ""
			for _, one := range all {
				lines[i] += mark + one + "; "
			}
		case here != nil:
			lines[i], end = "", here[1]
		}
	}
}

var (
	crashLine = lazily(`(?i)^\s*(?:\S*(?:mysqld|mariadbd|postgres|tidb-server|sqlite3)\S*: .*(?:assert|: fatal)|.*\bgot signal \d+|.*\[ERROR\] .*(?:signal|assert|innodb:)|` +
		`==+\d+==+\s*ERROR: |SUMMARY: \w+Sanitizer|(?:TRAP|PANIC):|panic: |fatal error: |goroutine \d+ \[|thread \d+ \(|\*{3} .*(?:stack|backtrace)|stack_bottom = |` +
		`(?:back ?trace|stack ?trace|call stack)\s*:?\s*$|program terminated with signal|\[?\d{4}-\d\d-\d\d.*(?:assertion failure|mysqld got|\[fatal\]))`)
	frameLine = lazily(`^\s*(?:#\d+\s+(?:0x[0-9a-f]+\s+)?(?:in\s+)?[\w<~:?_]|(?:\S+\.)?\w+(?:\.\(?\*?\w+\)?)*\(.*\)\s*$|\s+at \S+\(.*\)|at [\w.$<>]+\(|` +
		`\S*\.(?:go|cc|cpp|c|h|java|py|rs|ic):\d+|` +
		`(?:\S*/)?(?:mysqld|mariadbd|postgres|libc\.so\S*|libpthread\S*)\(|0x[0-9a-f]{6,}|\[0x[0-9a-f]{6,}\])`)
)

// traces leaves out what a server says when it crashes, with its stack.
func (s *scanner) traces(lines []string) {
	inside, from, n := false, 0, 0
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case crashLine.MatchString(line) && !isStatement(trimmed):
			inside = true
		case inside && trimmed == "":
			continue // a stack may have several parts
		case inside && (frameLine.MatchString(line) || strings.HasPrefix(line, "\t")) && !isStatement(withoutPrompt(trimmed)):
		case stackFrame.MatchString(line) && !isStatement(trimmed):
		default:
			inside = false
			continue
		}
		if n++; from == 0 {
			from = i + 1
		}
		lines[i] = ""
	}
	if n > 0 {
		s.notes = append(s.notes, Note{from, "what the server said of a crash is left out", false})
	}
}

// stackFrame is a line of a stack wherever it stands.
var stackFrame = lazily(`^\s*#\d+\s+(?:0x[0-9a-f]+\s+in\s|\w[\w:~<>]*\s*\(.*\)\s+(?:at|from)\s|<signal handler)`)

// mailHead is a line of a mail's head.
var mailHead = lazily(`^(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Message-I[Dd]|In-Reply-To|References|List-\w+|MIME-Version|Content-[\w-]+|X-[\w-]+|Lists)\s*:\s`)

// mails leaves out the heads of mails.
func (s *scanner) mails(lines []string) {
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && (mailHead.MatchString(lines[end]) || end > i && strings.TrimLeft(lines[end], " \t") != lines[end] && strings.TrimSpace(lines[end]) != "") {
			end++
		}
		if end-i > 1 && !slices.ContainsFunc(lines[i:end], func(line string) bool { return isStatement(strings.TrimSpace(line)) }) {
			s.notes = append(s.notes, Note{i + 1, "the head of a mail is left out", false})
			clear(lines[i:end])
			i = end
		}
	}
}

var (
	// consoleLine is a statement in the log of an IDE, behind the name of its source; consoleAnswer is what stands below it.
	consoleLine   = lazily(`^\s*([\w@.-]{1,40}(?: \[\d+\])?)>\s+(.*\S)\s*$`)
	consoleAnswer = lazily(`^\s*\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\]\s+(?:completed\b|connected\b|(\d+) rows? (affected|retrieved)|\[?\w*\]?\[?\d*\]?.*)`)
)

// consoles writes the log of an IDE's console as a client's, with what it says of its answers.
func consoles(lines []string) {
	n := 0
	for i, line := range lines {
		if consoleLine.MatchString(line) && i+1 < len(lines) && consoleAnswer.MatchString(lines[i+1]) {
			n++
		}
	}
	if n < 2 {
		return
	}
	for i, line := range lines {
		if m := consoleAnswer.FindStringSubmatch(line); m != nil {
			if lines[i] = ""; m[2] == "affected" {
				lines[i] = "Query OK, " + m[1] + " rows affected"
			}
		} else if m := consoleLine.FindStringSubmatch(line); m != nil && !wholeSession.MatchString(m[1]) {
			lines[i] = "mysql> " + strings.TrimSuffix(m[2], ";") + ";"
			if m := consoleNumber.FindStringSubmatch(m[1]); m != nil {
				lines[i] = "session " + m[1] + "> " + strings.TrimPrefix(lines[i], "mysql> ")
			}
		}
	}
}

// consoleNumber is the console's number in the name of its source.
var consoleNumber = lazily(`\[(\d+)\]$`)
