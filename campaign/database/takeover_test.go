package database

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBugsThatDoHarm: a bugs.json that no txweave wrote is put aside, which is said on one line, one of a newer txweave
// is refused, and nothing outside the directory is touched.
func TestBugsThatDoHarm(t *testing.T) {
	for name, text := range map[string]string{
		"null":      `{"bugs":[null]}`,
		"up":        `{"bugs":[{"id":"B1","kept":[{"dir":"../victim"}]}]}`,
		"absolute":  `{"bugs":[{"id":"B1","kept":[{"dir":"/victim"}]}]}`,
		"below":     `{"bugs":[{"id":"B1","kept":[{"dir":"a/../../victim"}]}]}`,
		"nothing":   `{"bugs":[{"id":"B1","kept":[{"dir":""}]}]}`,
		"itself":    `{"bugs":[{"id":"B1","kept":[{"dir":"."}]}]}`,
		"gone":      `{"bugs":[],"gone":["../victim"]}`,
		"twice":     `{"bugs":[{"id":"B1"},{"id":"B1"}]}`,
		"no name":   `{"bugs":[{}]}`,
		"tomorrow":  `{"format":3,"bugs":[]}`,
		"truncated": `{"bugs":[`,
		"no object": `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			victim, dir := filepath.Join(parent, "victim"), filepath.Join(parent, "out")
			for _, dir := range []string{victim, dir} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, oldBugs), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			said := ""
			s := loose(t, dir)
			s.Tell(func(line string) { said += line + "\n" })
			if _, err := s.Enter(); (err != nil) != (name == "tomorrow") || err != nil && strings.Contains(err.Error(), "\n") ||
				(err == nil) != (strings.Count(said, "\n") == 1) {
				t.Errorf("error %v, said %q", err, said)
			}
			if _, err := os.Stat(victim); err != nil {
				t.Error(err)
			}
		})
	}
}
