package exec

import (
	osexec "os/exec"
	"testing"
	"time"
)

// spinning starts a process that computes, on one processor that all of these share.
func spinning(t *testing.T, program ...string) *process {
	t.Helper()
	p := &process{cmd: osexec.CommandContext(t.Context(), program[0], program[1:]...)}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Wait() }) // its context ends it
	if err := p.crowd(true); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStarved: a server that has no processor for much of the time is not one that hangs, and one that sleeps is none
// that has no processor.
func TestStarved(t *testing.T) {
	asleep := spinning(t, "sleep", "60")
	var busy []*process
	for range 6 {
		busy = append(busy, spinning(t, "sh", "-c", "while :; do :; done"))
	}
	begun := busy[0].watch()
	// For a second at least: on a busy machine a moment more with the processor would change what holds of less.
	for until := time.Now().Add(time.Minute); time.Since(begun.since) < time.Second || !begun.starved(busy[0]); time.Sleep(
		50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("six processes share a processor, and none had to wait for it: %v, and %v now", begun.delays,
				busy[0].delays())
		}
	}
	quiet := asleep.watch() // by now it is asleep
	time.Sleep(100 * time.Millisecond)
	if quiet.starved(asleep) {
		t.Errorf("a process that sleeps: %v, and %v now", quiet.delays, asleep.delays())
	}
	if !begun.again(busy[0], time.Second) || begun.again(busy[0], patience) || quiet.again(asleep, time.Second) {
		t.Error("who is asked again is not who has no processor")
	}
	if !(*watch)(nil).again(asleep, time.Second) {
		t.Error("the first time nothing is known yet")
	}
	if hang := (&HangError{Starved: true, State: "R (running)"}); hang.Proved() {
		t.Errorf("%v: held against the server", hang)
	}
}
