package main

import (
	"strings"

	"github.com/spf13/cobra"

	"txweave/dbms"
	"txweave/gen/histories"
	"txweave/gen/workload"
	"txweave/history/format"
	"txweave/internal/spelling"
)

func historiesCommand() *cobra.Command {
	set := histories.Set{Config: histories.Default(), Count: 1}
	var anomalies []string
	var level, shape, distribution, out string
	var list bool
	cmd := &cobra.Command{
		Use:   "histories",
		Short: "Write valid and invalid histories, to try a checker with",
		Long: `A simulated engine of --level executes random transactions, so the history is valid at that level and
at all weaker ones. A planted anomaly makes it invalid at the levels that forbid it, and at no other.
The same seed gives the same history. --list says which anomalies and formats there are.

An anomaly of searches (Phantom, PMP, ResultSetMismatch) needs the certificate that is written beside
its history: txweave check --certificate FILE.certificate FILE.

With several --anomaly, or with --count, --out is a directory: a file for each history, and
` + histories.IndexName + `, which says what a checker must find in each.`,
		Example: `  txweave histories --transactions 1000 > valid.jsonl
  txweave histories --anomaly LostUpdate --format edn --out lost-update.edn
  txweave histories --lists --keys 50 --anomaly WriteSkew --format edn --out skew.edn
  txweave histories --anomaly all,none --count 10 --format text --out histories`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return printf(cmd.OutOrStdout(), "%s\nformats: %s\n", histories.List(),
					strings.Join(format.WriterNames(), ", "))
			}
			set.Level, set.Shape = dbms.Level(level), histories.Shape(shape)
			set.Distribution = workload.Distribution(distribution)
			set.Plant(anomalies...)
			if err := set.Validate(); err != nil {
				return usage(err)
			}
			switch {
			case set.Count*len(set.Anomalies) == 1:
				return usage(set.WriteOne(cmd.Context(), cmd.OutOrStdout(), out))
			case out == "":
				return usagef("several histories are written into a directory: name it with --out")
			}
			return usage(set.WriteDir(cmd.Context(), out))
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&list, "list", false, "print the anomalies, the levels that forbid each, and the formats")
	fs.StringSliceVar(
		&anomalies,
		"anomaly",
		[]string{"none"},
		"what is planted, by its name; none; or all that the format and the shape can show",
	)
	fs.StringVar(&level, "level", string(set.Level), "what the engine guarantees: sser, ser, rr, si, tcc, ra or rc")
	fs.StringVar(&shape, "shape", string(set.Shape),
		"what transactions look like: mini, blind, general or cas")
	fs.BoolVar(&set.Lists, "lists", false, "keys hold lists: writes append, reads return all (Elle's list-append)")
	fs.IntVar(&set.Txns, "transactions", set.Txns, "committed transactions, at least")
	fs.IntVar(&set.Sessions, "sessions", set.Sessions, "sessions")
	fs.IntVar(&set.Keys, "keys", set.Keys, "keys")
	fs.StringVar(&distribution, "distribution", string(set.Distribution),
		"how often each key is used: uniform, zipf, hotspot, exponential")
	fs.Float64Var(&set.Theta, "theta", 0, "how steep zipf is: key i has weight 1/(i+1)^theta; 0: 1")
	fs.IntVar(&set.Ops, "length", set.Ops, "operations a transaction, of blind and general ones")
	fs.Float64Var(&set.Writes, "writes", set.Writes, "share of writes, of general transactions")
	fs.Float64Var(&set.Aborts, "aborts", 0, "share of transactions that their clients roll back")
	fs.Float64Var(&set.Unknowns, "unknowns", 0, "share of transactions whose outcome the client did not learn")
	fs.Uint64Var(&set.Seed, "seed", 0, "seed of the first history")
	fs.IntVar(&set.Count, "count", set.Count, "histories of each anomaly, of one seed after the other")
	fs.StringVar(&set.Format, "format", "txweave", spelling.Or(format.WriterNames()))
	fs.StringVar(&out, "out", "", "file, or directory of several histories")
	return cmd
}
