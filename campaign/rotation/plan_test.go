package rotation

import (
	"strings"
	"testing"
)

// TestParse: values that mean something else than they say are refused, with their line where the file has it.
func TestParse(t *testing.T) {
	const cell = "[[cell]]\nname = \"one\"\ntarget = \"sqlite\"\n"
	for text, want := range map[string]string{
		cell:                         "",
		cell + "weight = 0.5":        "",
		cell + "weight = 3":          "",
		cell + "weight = 0":          "f:4: weight 0: want one above 0, up to 1000000",
		cell + "weight = 0.0":        "f:4: weight 0: want one above 0, up to 1000000",
		cell + "weight = -1":         "f:4: weight -1: want one above 0, up to 1000000",
		cell + "weight = nan":        "f:4: weight NaN: want one above 0, up to 1000000",
		cell + "weight = \"3\"":      "f:4: weight 3: want one above 0, up to 1000000",
		cell + "seed = -1":           `f: cell 1 "one": seed must not be negative`,
		cell + "slice = \"-3s\"":     "f:4: -3s is negative",
		cell + "mode = \"storms\"":   `f: cell 1 "one": mode "storms": want fuzz, storm or detect: did you mean storm?`,
		"max_rss = \"6XB\"\n" + cell: `f:1: "6XB" is not a size: want one such as 4GiB`,
		cell + "[notify]\nwebhook = \"https://discord.com/api/webhooks/1234567890/abcDEF0123456789abcdef\"": "f: notify: the webhook has a password or a token: " +
			"put the URL into the environment (webhook = \"env:NAME\")",
		cell + "[notify]\nwebhook = \"https://chat.example.org/hooks/txweave\"": "",
	} {
		p, err := Parse("f", []byte(text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant %s", text, got, want)
		}
		if err != nil {
			continue
		}
		printed, err := p.Print()
		if err == nil {
			_, err = Parse("printed", printed)
		}
		if err != nil || !strings.Contains(string(printed), "weight") {
			t.Errorf("%s: %v", printed, err)
		}
	}
}
