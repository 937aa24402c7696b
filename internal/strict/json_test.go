package strict

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestUnread holds what is said of a text that is not what it should be to the words and the line.
func TestUnread(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "it is empty"},
		{" \n", "it is empty"},
		{"{\"slice\":\n\"1s\"", "it is JSON whose end is missing"},
		{"{\"slice\":\n\n[1, nothing]}", "line 3 is no JSON"},
		{"{\n\"Tell\": {\"command\":\n 7}}", `line 3: "Tell.Command" cannot be of the kind number`},
		{"[\n]", "line 1: what stands there cannot be of the kind array"},
		{"{\"other\": 1}", `unknown field "other"`},
		{strings.Repeat("[", 20000), "line 1 is no JSON"},
		{"\xef\xbb\xbf{}", "line 1 is no JSON"},
	} {
		d := json.NewDecoder(strings.NewReader(c.text))
		d.DisallowUnknownFields()
		err := d.Decode(&plan{})
		if err == nil {
			t.Fatalf("%q is understood", c.text)
		}
		if got := Unread([]byte(c.text), err).Error(); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
