package spelling

import (
	"errors"
	"testing"
)

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"ab", "ba"}: 1, {"abc", "ac"}: 1, {"kitten", "sitting"}: 3,
		{"", "abc"}: 3} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("distance(%q, %q) = %d, want %d", pair[0], pair[1], got, want)
		}
	}
}

// TestClosest: a word that differs much from all names is none of them.
func TestClosest(t *testing.T) {
	for word, want := range map[string]string{"sesion": "session", "Conection": "connection", "section": "", "lock": ""} {
		if got := Closest(word, []string{"session", "connection"}); got != want {
			t.Errorf("Closest(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestMeant: the error of an unknown word names the one that was meant, where one is close.
func TestMeant(t *testing.T) {
	for word, want := range map[string]string{
		"jsno":   `--format "jsno": want text, json or none: did you mean json?`,
		"oracle": `--format "oracle": want text, json or none`,
	} {
		if got := NoneOf("--format", word, "text", "json", "none").Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	unknown := errors.New("no such word")
	if got := MeantOne(unknown, []string{"text", " jsno"}, "text", "json"); !errors.Is(got, unknown) ||
		got.Error() != "no such word: did you mean json?" {
		t.Errorf("got %q", got)
	}
}
