package catalogue

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"txweave/fault"
	"txweave/internal/outcome"
)

// printedFault is a kind of fault as features --faults prints it as JSON.
type printedFault struct {
	Kind      fault.Kind `json:"kind"`
	Of        string     `json:"of"`
	Mechanism string     `json:"mechanism,omitempty"`
	Called    string     `json:"called,omitempty"`
	Same      fault.Kind `json:"same_as,omitempty"`
	Sentence  string     `json:"sentence"`
	Why       string     `json:"why,omitempty"`
	Expected  string     `json:"expected,omitempty"`
	Source    string     `json:"source"`
	Before    []string   `json:"names_of_before,omitempty"`
}

// sentence is the title of a fault for a statement of which nothing is known.
func sentence(e *fault.CatalogueEntry) string {
	return strings.NewReplacer("{sees}", "A statement sees", "{stmt}", "A statement").Replace(e.Title)
}

// same names the kind that oracles call the same phenomenon by.
func same(e *fault.CatalogueEntry) string {
	if e.Same == "" {
		return ""
	}
	return "; the same as " + string(e.Same)
}

// Faults prints the catalogue of faults.
func Faults(w io.Writer, format string) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		for _, f := range fault.All() {
			p := printedFault{f.Kind, string(f.Class), f.Mechanism, f.Called, f.Same, sentence(&f), f.Why, f.Want,
				f.Source, f.Old}
			if err := e.Encode(&p); err != nil {
				return err
			}
		}
		return nil
	case "text":
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		of := fault.Branch("")
		for _, f := range fault.All() {
			if f.Class != of {
				fmt.Fprintf(t, "%s:\n", f.Class)
				of = f.Class
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\n", f.Kind, sentence(&f), f.Source+same(&f))
		}
		return t.Flush()
	}
	return outcome.Misusef("--format %q: want text or json", format)
}

// FaultsPage prints the page of the documents.
func FaultsPage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# Faults

Printed by ` + "`txweave features --faults --markdown`" + `. A finding names what is wrong by one of these kinds; its signature is the class of
the finding, the statement's kind, and the kind of fault.
Kinds of history are what ` + "`check`" + ` says of recorded histories. The last column says what the kind goes by: a paper, the SQL standard, a manual. Papers
are Adya (Weak Consistency, 1999), Berenson et al. (A Critique of ANSI SQL Isolation Levels, 1995), Leopard (Li et al., ICDE 2023), Wei et al. (ICDE 2025),
Clark et al. (Bringing Order to Practical Validation of Database Isolation Levels), TxCheck (Jiang et al., OSDI 2023).

A kind may end in a circumstance: ` + "`-through-search`" + ` where one of the steps is a search that would have found a row otherwise, and in storms
` + "`-after-kill`, `-after-rebuild`, `-after-index-build`, `-after-repartitioning`" + `.
`)
	of := fault.Branch("")
	for _, f := range fault.All() {
		if f.Class != of {
			of = f.Class
			fmt.Fprintf(&b, "\n## %s\n\n| kind | as a sentence | why it is wrong | by |\n| --- | --- | --- | --- |\n",
				strings.ToUpper(string(of[:1]))+string(of[1:]))
		}
		name := "`" + string(f.Kind) + "`"
		if f.Called != "" {
			name += ", " + f.Called
		}
		why := f.Why
		if why == "" && f.Same != "" {
			why = fault.Of(f.Same).Why
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, sentence(&f), why, f.Source+same(&f))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
