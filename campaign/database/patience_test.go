package database

import (
	"errors"
	"io"
	"testing"
)

// TestPatiently: what a server that is away for a moment keeps from its end is done again, unless a part of it is done;
// other errors are told.
func TestPatiently(t *testing.T) {
	d := &DB{dialect: &mysqlDialect}
	other := errors.New("another one")
	for name, one := range map[string]struct {
		errs       []error
		repeatable bool
		calls      int
		want       error
	}{
		"at once":       {[]error{nil}, true, 1, nil},
		"away":          {[]error{io.ErrUnexpectedEOF, io.EOF, nil}, true, 3, nil},
		"partly done":   {[]error{io.ErrUnexpectedEOF, nil}, false, 1, io.ErrUnexpectedEOF},
		"another error": {[]error{other, nil}, true, 1, other},
	} {
		calls := 0
		err := d.patiently(t.Context(), func() (bool, error) {
			calls++
			return one.repeatable, one.errs[calls-1]
		})
		if calls != one.calls || !errors.Is(err, one.want) || one.want == nil && err != nil {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
		var lost *StoreError
		if want := errors.Is(one.want, io.ErrUnexpectedEOF); errors.As(err, &lost) != want {
			t.Errorf("%s: it is the database's: %v, want %v", name, !want, want)
		}
	}
}
