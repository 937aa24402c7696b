// Package outcome says how work ended that did not simply succeed, apart from what its error tells people: whoever
// asked for the work learns whether there are findings, nothing could be checked, or what was asked for cannot be.
package outcome

import (
	"errors"
	"fmt"
)

// How work may end, as the exit code of the command that did it.
const (
	Clean        = 0   // no finding, and enough was checked to say so
	Findings     = 1   // findings
	Inconclusive = 2   // nothing could be checked
	Usage        = 64  // what was asked for cannot be: wrong settings, arguments or files
	Unavailable  = 69  // the target, or a store that machines share, cannot be had
	Internal     = 70  // txweave's own fault
	Interrupted  = 130 // interrupted; what was done is counted and kept
)

// Ending is how work ended, as an error.
type Ending struct {
	Code int
	Err  error // what is to be said; nil: everything has been said already
}

func (e *Ending) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Ending) Unwrap() error { return e.Err }

// Misuse marks an error as the doing of whoever asked for the work. Of nil it is nil.
func Misuse(err error) error {
	if err == nil {
		return nil
	}
	return &Ending{Usage, err}
}

// Misusef is Misuse of an error that it formats. A setting is called by the name of its flag, "--workers".
func Misusef(format string, args ...any) error { return Misuse(fmt.Errorf(format, args...)) }

// Inconclusivef says why nothing could be concluded.
func Inconclusivef(format string, args ...any) error {
	return &Ending{Inconclusive, fmt.Errorf("inconclusive: "+format, args...)}
}

// Stopped is the error of work that its context has ended.
func Stopped() error { return &Ending{Interrupted, errors.New("interrupted")} }

// Found is the error of work that has found something, which has been said.
func Found() error { return &Ending{Code: Findings} }

// Of is how an error says that work ended; false: it does not say.
func Of(err error) (code int, said bool) {
	if e, ok := errors.AsType[*Ending](err); ok {
		return e.Code, true
	}
	return Clean, err == nil
}

// End is the error of work that ended so; err is what is to be said of it.
func End(code int, err error) error { return &Ending{code, err} }
