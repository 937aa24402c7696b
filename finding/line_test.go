package finding

import (
	"strings"
	"testing"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain 'text' – ü\t": "plain 'text' – ü\t",
		"\x1b[2Jgone\a":      `\u001b[2Jgone\u0007`,
		"two\nlines\r":       `two\nlines\u000d`,
		"right\u202eleft":    `right\u202eleft`,
		"\xff\xfe":           `\xff\xfe`,
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := Line(strings.Repeat("ä", 1<<20))
	if len(long) > maxLine+40 || !strings.HasSuffix(long, "bytes more)") {
		t.Errorf("%d bytes: …%s", len(long), long[len(long)-40:])
	}
}
