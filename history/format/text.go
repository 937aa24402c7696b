package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"

	"txweave/history"
	"txweave/history/register"
	"txweave/internal/input"
)

// abortedTxn is the transaction that Plume and AWDIT give to aborted writes. Here each becomes one of its own, numbered
// downwards from it, below all others.
const abortedTxn = -1

func looksText(head []byte) bool {
	line := firstLine(head)
	return bytes.HasPrefix(line, []byte("r(")) || bytes.HasPrefix(line, []byte("w("))
}

// firstLine returns the first line that is not blank, without white space at its ends.
func firstLine(head []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	return bytes.TrimSpace(line)
}

// textOp is one line of the text format.
type textOp struct {
	key, value, session, txn int64
	line                     int
	write                    bool
}

// parseTextLine reads "r(key,value,session,transaction)".
func parseTextLine(line []byte) (op textOp, ok bool) {
	if len(line) < len("r(0,0,0,0)") || line[0] != 'r' && line[0] != 'w' || line[1] != '(' || line[len(line)-1] != ')' {
		return op, false
	}
	op.write = line[0] == 'w'
	rest := line[2 : len(line)-1]
	for i, to := range []*int64{&op.key, &op.value, &op.session, &op.txn} {
		n, used := parseInt(rest)
		if used == 0 {
			return op, false
		}
		*to = n
		rest = rest[used:]
		if i == 3 {
			break
		}
		if len(rest) == 0 || rest[0] != ',' {
			return op, false
		}
		for rest = rest[1:]; len(rest) > 0 && rest[0] == ' '; rest = rest[1:] {
		}
	}
	return op, len(rest) == 0
}

// parseInt reads a decimal integer at the start of s; used is 0 where there is none that fits.
func parseInt(s []byte) (n int64, used int) {
	i := 0
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		i++
	}
	start := i
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		d := int64(s[i] - '0')
		if n < (math.MinInt64+d)/10 { // counted downwards, as there is one negative number more
			return 0, 0
		}
		n = n*10 - d
	}
	if i == start || !neg && n == math.MinInt64 {
		return 0, 0
	}
	if !neg {
		n = -n
	}
	return n, i
}

// eachLine calls do with every line that is not blank, without white space at its ends. The line is the
// callee's until the next call.
func eachLine(r io.Reader, do func(n int, line []byte) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for in.Scan() {
		n++
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := do(n, line); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return at(n+1, "a line longer than %d MiB", maxLine>>20)
	}
	return in.Err()
}

// maxLine bounds what one line may take.
const maxLine = input.MaxLine

func clip(b []byte) string {
	const limit = 60
	if len(b) > limit {
		return string(b[:limit]) + "…"
	}
	return string(b)
}

func looksAWDIT(head []byte) bool {
	line := firstLine(head)
	f := bytes.Fields(line)
	return len(line) > 0 && bytes.Trim(line, "=-") == nil || len(f) == 3 && (string(f[0]) == "r" || string(f[0]) == "w")
}

// readAWDIT reads AWDIT's tests: "r key value" and "w key value", transactions parted by lines of '-', sessions by
// lines of '='. There are no initial values.
func readAWDIT(r io.Reader, b *register.Builder) error {
	session, txn, open := int64(0), int64(0), false
	end := func() {
		if open {
			b.End(history.Committed, 0, 0)
			open = false
		}
	}
	err := eachLine(r, func(n int, line []byte) error {
		switch {
		case len(bytes.Trim(line, "=")) == 0:
			end()
			session++
			return nil
		case len(bytes.Trim(line, "-")) == 0:
			end()
			return nil
		}
		f := bytes.Fields(line)
		if len(f) != 3 || string(f[0]) != "r" && string(f[0]) != "w" {
			return at(n, "want \"r key value\", \"w key value\", a line of - or a line of =, not %q", clip(line))
		}
		key, usedKey := parseInt(f[1])
		value, usedValue := parseInt(f[2])
		if usedKey != len(f[1]) || usedValue != len(f[2]) {
			return at(n, "key and value must be integers, not %q", clip(line))
		}
		if !open {
			b.Begin(session, txn)
			txn++
			open = true
		}
		if f[0][0] == 'w' {
			b.Write(b.IntKey(key), value)
		} else {
			b.Read(b.IntKey(key), value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	end()
	return nil
}
