package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Unread says why package json did not understand a text that somebody named: what is wrong, on which of its lines.
func Unread(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	line := func(offset int64) int {
		return 1 + bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n"))
	}
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && syntax.Offset >= int64(len(text)):
		return errors.New("it is JSON whose end is missing")
	case syntax != nil:
		return fmt.Errorf("line %d is no JSON", line(syntax.Offset-1))
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("line %d: %q cannot be of the kind %s", line(kind.Offset-1), kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: what stands there cannot be of the kind %s", line(kind.Offset-1), kind.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
