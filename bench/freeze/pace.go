package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// pace compares speeds: for each second of processor time, the tool's and the server's together.
func (b *bench) pace() error {
	cells := b.cells()
	if b.old.used() { // what was another time is not compared: both sides run, on fewer cases
		old, runs := b.old, b.runs
		b.old, b.runs = nil, map[cell][][2]summary{}
		defer func() { b.old, b.runs = old, runs }()
		for i := range cells {
			cells[i].cases /= pick(b, 1, 5)
		}
	}
	for _, c := range cells {
		all, err := b.ran("pace", c)
		if err != nil {
			return err
		}
		for _, f := range speeds {
			b.add(paced("pace", c.String()+": "+f.name, f.pairs(all)))
		}
		b.add(averaged("pace", c.String()+": sent/generated", true, (&figure{of: sent, per: generated}).pairs(all)))
	}
	if err := b.bare(); err != nil {
		return err
	}
	return b.checks()
}

// barely is what this reads of what bench prints.
type barely struct {
	told
	Ratio float64 `json:"ratio"`
}

// bare compares how near each build comes to a loop that sends the same statements and does nothing else.
func (b *bench) bare() error {
	for _, c := range b.among([]cell{{"mariadb", "repeatable-read", 3, pick(b, 20, 100), 1}, {"postgresql", "serializable",
		3, pick(b, 20, 100), 1}}) {
		all, err := objects(b, "pace", "bare loop, "+c.String(), c.seeds, func(i, side int, x *barely) error {
			return b.object(side, x, "bench", "--target", c.target, "--isolation", c.level, "--cases", strconv.Itoa(c.cases),
				"--seed", strconv.Itoa(c.first+i), "--format", "json")
		})
		if err != nil {
			return err
		}
		var pairs [][2]float64
		for _, p := range all {
			pairs = append(pairs, [2]float64{p[0].Ratio, p[1].Ratio})
		}
		b.add(paced("pace", c.String()+": speed, as a share of the bare loop's", pairs))
	}
	return nil
}

// checks compares what it costs to check a long history.
func (b *bench) checks() error {
	txns, level := pick(b, 100_000, 1_000_000), "sser"
	file := filepath.Join(b.tmp, fmt.Sprintf("serial-%d.edn", txns))
	if err := writeTo(file, func(w io.Writer) { serial(w, txns) }); err != nil {
		return err
	}
	all, err := both(b, "check of a long history", pick(b, 5, 7), func(_, side int) (float64, error) {
		e, err := b.command(side, "", b.programs[side], "check", "--level", level, file)
		if err != nil {
			return 0, err
		}
		e.forget()
		if e.Code != 0 {
			return 0, fmt.Errorf("check --level %s of the %s build ended with %d: %s", level, sideName(side), e.Code, e.Said)
		}
		return e.CPU, nil
	})
	if err != nil {
		return err
	}
	row := ratioRow("pace", fmt.Sprintf("cpu s of check --level %s, %d transactions as EDN", level, txns), true,
		all, ofPairs)
	row.timed = true
	b.add(row)
	return nil
}

// writeTo writes a file.
func writeTo(path string, write func(io.Writer)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	write(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Close()
}

// serial writes a history of transactions that read a key and write it, one after the other, by twenty clients in turn.
func serial(w io.Writer, txns int) {
	const clients, keys = 20, 1000
	held := make([]string, keys)
	for i := range held {
		held[i] = "nil"
	}
	for n := range txns {
		key := n * 7919 % keys
		for step, read := range [2]string{"nil", held[key]} {
			fmt.Fprintf(w, "{:type :%s, :f :txn, :value [[:r %d %s] [:w %d %d]], :process %d, :time %d, :index %d}\n",
				[2]string{"invoke", "ok"}[step], key, read, key, n+1, n%clients, 2*n+step, 2*n+step)
		}
		held[key] = strconv.Itoa(n + 1)
	}
}
