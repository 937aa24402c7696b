package importer

import "regexp"

// handOver says what to do of a program.
const handOver = "write the SQL that it sends, with the session in front of each statement (T1> …;): " +
	"docs/reference/import-formats.md"

// programs are those that are not read, each with what tells it by a line.
var programs = []struct {
	name string
	sign *regexp.Regexp
}{
	{"a program in PHP", regexp.MustCompile(`^<\?php|^\$\w+(->| = )`)},
	{"a program in Java", regexp.MustCompile(`^import (?:static )?[\w.*]+;$|^package [\w.]+;|^public (?:class|static) `)},
	{"a program in JavaScript", regexp.MustCompile(`^(?:const|let|var) .*=|^import .* from ['"]|\bawait `)},
	{"a program in Python", regexp.MustCompile(`^import [\w.]+$|^from [\w.]+ import |^(?:async )?(?:def|with|class) \w.*\).*:$|` +
		`\.(?:execute|cursor|commit)\(.*\)$`)},
	{"a program in Ruby", regexp.MustCompile(`^require ['"]`)},
	{"a shell's script", regexp.MustCompile(`^(?:\$ )?[a-z]\w* .*-[ec] ["']`)},
	{"a program", regexp.MustCompile(`^[\w.]+\.\w+\(.*\);$`)},
}

// programIn is the program of which a line is; "" for another line.
func programIn(line string) string {
	for _, p := range programs {
		if p.sign.MatchString(line) {
			return p.name
		}
	}
	return ""
}
