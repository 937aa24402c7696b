package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/bugs"
	"txweave/campaign/display"
	"txweave/campaign/reducing"
	"txweave/finding"
)

func reduceCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var c reducing.Config
	var format string
	cmd := &cobra.Command{
		Use:   "reduce CASE.txw|FINDING|BUG",
		Short: "Make a case smaller while it shows the same finding",
		Long: `A smaller case must show the same finding each time it is checked. How often the original shows it
is measured first. What is left of a finding goes to reduced/ in its directory, what is left of
CASE.txw to CASE.reduced.txw or --output.`,
		Example: `  txweave reduce txweave-out/finding-000001-0
  txweave reduce case.txw --duration 30m --repeat 5 -o small.txw`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			show := display.New(cmd.ErrOrStderr())
			c.Under = f.again(&from)
			c.Target.Notes = show
			c.Reduce.Progress = show.Reduction(c.Reduce.MaxTime)
			at := args[0]
			c.Moved = func(was, is string) {
				if was == "" {
					fmt.Fprintf(show, "txweave: the finding is of %s, and is counted there now\n", is)
				} else {
					fmt.Fprintf(show, "txweave: %s is %s: its findings are counted there now\n", was, is)
				}
				if finding.IsBugName(filepath.Base(at)) {
					at = filepath.Join(filepath.Dir(at), is)
				}
			}
			out, written, err := c.Run(cmd.Context(), args[0], cmd.OutOrStdout())
			show.End()
			if err != nil {
				return err
			}
			if format == "json" {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(out)
			}
			text := fmt.Sprintf("%s: %s\n%s: %s, %d of %d runs of the original\n", written, out.Summary(), written,
				out.Signature, out.Shown, out.Measured)
			for _, n := range out.Conditions {
				text += "  " + n.Text + "\n"
			}
			if _, err = io.WriteString(cmd.OutOrStdout(), text); err != nil {
				return err
			}
			if filepath.Ext(written) == filepath.Ext(finding.CaseFile) {
				next(cmd.ErrOrStderr(), "report", written)
			} else {
				next(cmd.ErrOrStderr(), append([]string{"report", at}, unless(bugs.DefaultOut, "out", from.Out)...)...)
			}
			return nil
		},
	}
	f.add(cmd.Flags(), "")
	f.addInject(cmd.Flags())
	from.add(cmd.Flags())
	cmd.Flags().StringVarP(&c.Output, "output", "o", "", "where to write the reduced case")
	cmd.Flags().StringVar(&c.Signature, "signature", "",
		"what the case must keep showing (default: the finding's; of a case, what it shows most often)")
	cmd.Flags().IntVar(&c.Repeat, "repeat", 2, "how many times in a row a smaller case must show the finding")
	cmd.Flags().IntVar(&c.Reduce.MaxAttempts, "attempts", 20000, "stop after this many tries")
	cmd.Flags().DurationVar(&c.Reduce.MaxTime, "duration", 5*time.Minute, "stop after this time")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
