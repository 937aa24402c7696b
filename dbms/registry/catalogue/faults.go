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
			name, mechanism := string(f.Kind), ""
			if f.Called != "" {
				name += ", " + f.Called
			}
			if f.Mechanism != "" {
				mechanism = "; mechanism " + f.Mechanism
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\n", name, sentence(&f), f.Source+same(&f)+mechanism)
		}
		return t.Flush()
	}
	return outcome.Misusef("--format %q: want text or json", format)
}

// FaultsPage prints the page of the documents.
func FaultsPage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# Faults

The kinds of faults that findings name, as ` + "`txweave features --faults --markdown`" + ` prints them. A finding's signature has its class, the kind
of statement, and the kind of fault. Kinds of history are what ` + "`check`" + ` says of recorded histories. A report also says why a fault is one;
so does ` + "`txweave features --faults --format json`" + `.

In brackets stands the source by which it is a fault: a paper, the SQL standard, a manual. Papers are

- Adya, Weak Consistency (1999), whose levels and phenomena are used throughout;
- Berenson et al., A Critique of ANSI SQL Isolation Levels (1995);
- Bailis et al., Highly Available Transactions (2013);
- Leopard: Li et al., ICDE 2023;
- TxCheck: Jiang et al., OSDI 2023;
- Wei et al., Mini-Transactions (ICDE 2025);
- Clark et al., Bringing Order to Practical Validation of Database Isolation Levels.

A kind may end in a circumstance: ` + "`-through-search`" + ` where one of the steps is a search that would have found a row otherwise. In storms there are
` + "`-after-kill`, `-after-rebuild`, `-after-index-build`, `-after-repartitioning`" + `.
`)
	of := fault.Branch("")
	for _, f := range fault.All() {
		if f.Class != of {
			of = f.Class
			fmt.Fprintf(&b, "\n## %s\n\n", strings.ToUpper(string(of[:1]))+string(of[1:]))
		}
		name := "`" + string(f.Kind) + "`"
		if f.Called != "" {
			name += ", " + f.Called
		}
		fmt.Fprintf(&b, "- %s: %s. (%s)\n", name, sentence(&f), f.Source+same(&f))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
