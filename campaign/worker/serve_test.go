package worker

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestReceive: jobs come in order; the end of the input is noticed while a case is under way, and a worker that goes on
// for too long after it is told so, one that is done is not.
func TestReceive(t *testing.T) {
	late, done := make(chan struct{}, 1), make(chan struct{})
	r, w := io.Pipe()
	in := receive(r, 10*time.Millisecond, func() { late <- struct{}{} }, done)
	go func() { _, _ = io.WriteString(w, `{"case":3} {"case":4}`); w.Close() }()
	for _, want := range []int{3, 4} {
		if got := <-in; got.err != nil || got.job.Case != want {
			t.Fatalf("got %+v, want case %d", got, want)
		}
	}
	<-late // case 4 never ends
	if got := <-in; !errors.Is(got.err, io.EOF) {
		t.Fatalf("got %+v, want the end of the input", got)
	}
	close(done)

	finished := make(chan struct{})
	close(finished)
	receive(strings.NewReader(""), time.Millisecond, func() { t.Error("late although it was done") }, finished)
	time.Sleep(50 * time.Millisecond)
}
