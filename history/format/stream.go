package format

import (
	"context"
	"errors"
	"os"

	"txweave/history/register"
)

// ErrWhole is why a history cannot be read transaction by transaction: it is none of reads and writes, or what it is in
// cannot be read again.
var ErrWhole = errors.New("this history must be read as a whole")

// Stream is a history that is read transaction by transaction, over and over. Of formats that hold one transaction
// behind the other it keeps nothing but the names of keys, sessions and values, and which transactions there were: a
// bit each where their numbers lie close together.
type Stream struct {
	LongFork bool // see Contents
	Txns     int

	path, format string
	realTime     bool
	lists        bool // reads that returned nothing are of empty lists
	firstIsInit  bool // the first transaction is the initial one
}

// OpenStream reads the file once, to find out what only its end tells of all transactions. ErrWhole or ErrApart say
// that the history must be read as a whole.
func OpenStream(ctx context.Context, path, name string) (*Stream, error) {
	if st, err := os.Stat(path); path == Stdin || err != nil || !st.Mode().IsRegular() {
		return nil, ErrWhole
	}
	s := &Stream{path: path, format: name}
	var first register.First
	contents, err := s.read(ctx, func(h *register.History) {
		s.Txns++
		first.Take(h, 0)
	})
	switch {
	case err != nil:
		return nil, err
	case contents.Workload != nil:
		return nil, ErrWhole
	case s.Txns == 0:
		return nil, named(plainError(errNoTransaction), path)
	}
	s.format, s.LongFork, s.realTime = contents.Format, contents.LongFork, contents.History.RealTime
	s.firstIsInit = s.format == "text" && first.IsInitial(contents.History)
	return s, nil
}

// Each gives every transaction to do: t of a history that do must not keep, and that has no others.
func (s *Stream) Each(ctx context.Context, do func(h *register.History, t int)) error {
	n, one := 0, new(register.History)
	_, err := s.read(ctx, func(h *register.History) {
		n++
		*one = *h
		one.RealTime = s.realTime
		switch {
		case s.firstIsInit:
			one.HasInitialValue = false
			if n == 1 {
				one.Initial = 0
			}
		case s.format == "text":
			one.HasInitialValue = true
		case s.lists:
			one.EmptyLists()
		}
		do(one, 0)
	})
	if err == nil && n != s.Txns {
		err = named(&Error{Msg: "was changed while it was read"}, s.path)
	}
	return err
}

// read reads the file.
func (s *Stream) read(ctx context.Context, do func(h *register.History)) (*Contents, error) {
	in, err := Open(ctx, s.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r, err := in.reader(s.format)
	if err != nil {
		return nil, named(err, s.path)
	}
	to := &sink{Builder: register.NewBuilder(0, 0), streamed: true}
	to.PassOn(do)
	c, err := in.readAs(r, to)
	s.lists = to.lists
	return c, named(err, s.path)
}
