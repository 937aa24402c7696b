package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// engineStates are the states of the engine's switch, in the order of the columns.
var engineStates = []string{"own-write", "reader", "index", "nth", "second"}

const tableHead = `| mutant | struck | cases | oracle | class of finding | blamed | wrong | statements | groups | unconfirmed | CPU s | exit |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`

// printed prints what run --json wrote.
func printed(args []string, print func(io.Writer, []outcome)) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("table and matrix want one file")}
	}
	results, err := readOutcomes(args[0])
	if err == nil {
		print(os.Stdout, results)
	}
	return err
}

// printMatrix prints a line for each mutant, with what came of each way to turn it on.
func printMatrix(w io.Writer, results []outcome) {
	whens := append([]string{"", "50"}, engineStates...)
	fmt.Fprintf(w, "| mutant | always | 1 in 50 | %s |\n| ---%s |\n", strings.Join(engineStates, " | "),
		strings.Repeat(" | ---", len(whens)))
	for _, m := range mutants {
		cells, any := []string{"`" + m.Name + "`"}, false
		for _, when := range whens {
			i := slices.IndexFunc(results, func(o outcome) bool { return o.Mutant == strings.TrimSuffix(m.Name+":"+when, ":") })
			if i < 0 {
				cells = append(cells, "")
				continue
			}
			cells, any = append(cells, results[i].cell()), true
		}
		if any {
			fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		}
	}
}

// cell is the outcome in a few words.
func (o outcome) cell() string {
	var s string
	switch {
	case o.First > 0:
		s = fmt.Sprintf("%d %s", o.First, o.Oracle)
		if o.misleads() {
			s += ", blames the wrong side"
		}
	case o.Struck == 0:
		s = "never struck"
	case o.Ended == "":
		s = "missed"
	}
	if o.Unconfirmed > 0 && o.First == 0 {
		s += fmt.Sprintf(", %d unconfirmed", o.Unconfirmed)
	}
	if o.Ended != "" {
		s += ", **ended**"
	}
	return strings.TrimPrefix(s, ", ")
}

func printTable(w io.Writer, results []outcome) {
	fmt.Fprintln(w, tableHead)
	for _, r := range results {
		fmt.Fprintln(w, r.row())
	}
	section := func(title string, in func(outcome) bool, say func(outcome) string) {
		var lines []string
		for _, r := range results {
			if r.Mutant != "" && in(r) {
				lines = append(lines, fmt.Sprintf("- `%s`: %s", r.Mutant, say(r)))
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s\n\n%s\n", title, strings.Join(lines, "\n"))
		}
	}
	found, struck := 0, 0
	for _, r := range results {
		if r.Mutant != "" && r.Struck > 0 {
			struck++
			if r.First > 0 {
				found++
			}
		}
	}
	fmt.Fprintf(w, "\n%d of the %d that struck were found.\n", found, struck)
	section("Campaigns that did not come to their end:", func(o outcome) bool { return o.Ended != "" },
		func(o outcome) string { return shortened(o.Ended) })
	section("Blamed the wrong side:", outcome.misleads,
		func(o outcome) string { return fmt.Sprintf("%q, but wrong is: %s", o.Title, o.Wrong) })
	section("Struck and not found:", func(o outcome) bool { return o.Struck > 0 && o.First == 0 },
		func(o outcome) string {
			return fmt.Sprintf("struck %d times in %d cases; %d unconfirmed; skipped: %s", o.Struck, o.Ran, o.Unconfirmed,
				cmp.Or(o.Skipped, "none"))
		})
	section("Never struck:", func(o outcome) bool { return o.Struck == 0 },
		func(o outcome) string {
			return fmt.Sprintf("reached %d times, %d of them in its state, in %d cases", o.Reached, o.InState, o.Ran)
		})
}

// misleads says that the report of the first finding calls a side wrong that is right.
func (o outcome) misleads() bool {
	return (o.Blames == "transaction" || o.Blames == "replay") && o.Wrong != o.Blames && o.Wrong != "both" &&
		o.Wrong != "?"
}

// row is the outcome as a line of the table.
func (o outcome) row() string {
	name := o.Mutant
	if name == "" {
		name = "none"
	}
	first, reduced := "–", "–"
	if o.First > 0 {
		first = fmt.Sprint(o.First)
	} else if o.Ran > 0 {
		first = fmt.Sprintf("– (%d)", o.Ran)
	}
	if o.Statements > 0 {
		reduced = fmt.Sprint(o.Statements)
	}
	exit := fmt.Sprint(o.Exit)
	if o.Ended != "" {
		exit += " ended"
	}
	return fmt.Sprintf("| `%s` | %d | %s | %s | %s | %s | %s | %s | %d | %d | %.0f | %s |", name, o.Struck, first,
		cmp.Or(o.Oracle, "–"),
		cmp.Or(o.Finding, "–"), cmp.Or(o.Blames, "–"), cmp.Or(o.Wrong, "–"), reduced, o.Groups, o.Unconfirmed, o.CPU, exit)
}

// shortened cuts a message to what a list can hold.
func shortened(s string) string {
	const most = 160
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}
