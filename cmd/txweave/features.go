package main

import (
	"github.com/spf13/cobra"

	"txweave/dbms/registry"
	"txweave/dbms/registry/catalogue"
	"txweave/internal/spelling"
)

func featuresCommand() *cobra.Command {
	var target, reach, find, isolation, format string
	var markdown, show, faults bool
	cmd := &cobra.Command{
		Use:   "features",
		Short: "Print what the generator can do, and what findings are called",
		Long: `Each production has its name (for --without), its weight in its group or how often it is there, and
the version that it needs. A weight of 0: not for this target. --faults prints the catalogue of
faults.

--reach FILE says how many bugs of a list can be generated. The list is a table with tabs, whose
first line names its columns: "id", "dbms" and "missing".`,
		Example: "  txweave features --target mariadb\n  txweave features --reach bugs.tsv\n  txweave features --reach " +
			"bugs.tsv --find MDEV-29400",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			switch {
			case faults && markdown:
				return catalogue.FaultsPage(out)
			case faults:
				return catalogue.Faults(out, format)
			case markdown:
				return catalogue.Page(out)
			case reach != "" && find != "":
				return catalogue.FindCase(cmd.Context(), out, reach, find, isolation)
			case reach != "" && show:
				return catalogue.ShowCases(cmd.Context(), out, reach, isolation)
			case reach != "":
				return catalogue.Reach(cmd.Context(), out, reach)
			case show:
				return usagef("--show looks for the bugs of a list: name it with --reach")
			case find != "":
				return usagef("--find looks for a bug of a list: name it with --reach")
			}
			switch format {
			case "text":
				return catalogue.Features(out, target)
			case "json":
				return catalogue.FeaturesJSON(out, target)
			}
			return usage(spelling.NoneOf("--format", format, "text", "json"))
		},
	}
	cmd.Flags().StringVar(&target, "target", registry.Default, spelling.Or(registry.Names()))
	cmd.Flags().StringVar(&format, "format", "text", "of the productions, or of faults: text or json")
	cmd.Flags().BoolVar(&faults, "faults", false,
		"print the catalogue of faults; with --markdown docs/reference/faults.md")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print docs/reference/generated.md: all targets")
	cmd.Flags().StringVar(&reach, "reach", "", "a list of bugs and what each of them needs")
	cmd.Flags().StringVar(&find, "find", "", "print a generated case with all that this bug of the list needs")
	cmd.Flags().StringVar(&isolation, "isolation", "",
		"isolation level of these cases (default: the usual one, then those with more productions)")
	cmd.Flags().BoolVar(&show, "show", false, "name a generated case for each bug of the list that should be in some")
	return cmd
}
