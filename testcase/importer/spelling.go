package importer

import (
	"slices"
	"strings"

	"txweave/internal/spelling"
)

var (
	// misspelt may be a word for a session that somebody has misspelt, with the session's number or letter behind it.
	misspelt = lazily(`\b([A-Za-z]{5,13})([ _#-]?(?:\d{1,2}|[A-H]))\b`)
	// meant are the words for sessions; real ones are other words that are as close to them.
	meant     = strings.Fields("session connection transaction terminal client window thread")
	realWords = strings.Fields("transition translation mission cession sessions connections transactions terminals clients windows threads threat threads tread")
)

// spelt writes such words as they are meant, on lines that are no statements.
func spelt(lines []string) {
	for i, line := range lines {
		if len(line) > 300 || isStatement(strings.TrimSpace(line)) {
			continue
		}
		lines[i] = misspelt.ReplaceAllStringFunc(line, func(m string) string {
			parts := misspelt.FindStringSubmatch(m)
			word := strings.ToLower(parts[1])
			if slices.Contains(meant, word) || slices.Contains(realWords, word) {
				return m
			}
			if w := spelling.Closest(word, meant); w != "" && w[0] == word[0] {
				return w + parts[2]
			}
			return m
		})
	}
}
