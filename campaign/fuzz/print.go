package fuzz

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"txweave/campaign"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/report/tabular"
)

// Print prints a run's summary for people.
func (h *Hunt) Print(w io.Writer, sum *campaign.Summary) error {
	st := &sum.Statements
	alive := st.Generated - st.DroppedAborted
	fmt.Fprintf(w, `%s %s, %s, seed %d
cases       %d checked of %d in %.1f s (%.0f a minute), %d with overlapping transactions, %d with an edge between them
statements  %d generated: %d survived (%s of those not aborted), dropped: %d blocked, %d cyclic, %d aborted, %d blamed
            %d errored (%s), %d effective (%s), %s of %d that search a table touch some of its rows, not all
work        %d runs, %d replays, %d statements sent
`,
		sum.Target, sum.Version, sum.Isolation, sum.Seed,
		sum.CasesChecked, sum.Cases, sum.ElapsedS, sum.CasesPerMinute, sum.OverlappingCases, sum.OverlapEdgeCases,
		st.Generated, st.Survived, percent(st.Survived, alive), st.DroppedBlocked, st.DroppedCyclic, st.DroppedAborted,
		st.DroppedBlamed,
		st.Errored, percent(st.Errored, st.Generated), st.Effective, percent(st.Effective, st.Generated),
		percent(st.Partial, st.Searches), st.Searches,
		sum.Runs, sum.Replays, sum.ServerStatements)
	if len(sum.CrossEdges) > 0 {
		fmt.Fprintf(w, "edges       %s\n", tabular.Counts(sum.CrossEdges))
	}
	if x := sum.FromSeeds; x != nil {
		fmt.Fprintf(w, "from seeds  %d cases were made of those of --seeds, %d of them not judged\n", x.Cases, x.Unchecked)
	}
	if len(sum.Skipped) > 0 {
		fmt.Fprintf(w, "skipped     %s\n", tabular.Counts(sum.Skipped))
	}
	for _, b := range sum.Bugs {
		state := string(b.Status)
		if b.New {
			state = "new"
		}
		name := "bug       "
		if len(b.MayBe) > 0 {
			name, state = "unreduced ", "may be "+strings.Join(b.MayBe, " or ")
		}
		fmt.Fprintf(w, "%s  %s (%s, %s)  %s  %s\n", name, b.ID, state, finding.Count(b.Count, "time"), b.Where(),
			finding.Line(b.Signature))
	}
	for _, name := range slices.Sorted(maps.Keys(sum.Known)) {
		fmt.Fprintf(w, "known bugs  %s%s %d\n", name, h.toldAt(name), sum.Known[name])
	}
	if len(sum.Paused) > 0 {
		fmt.Fprintf(w, "paused      %s: most cases show it; is the set-up right?\n", tabular.Counts(sum.Paused))
	}
	_, err := fmt.Fprintf(w, "findings    %s\n", found(sum))
	return err
}

// found says how many findings there are, of what, and how many of them are kept.
func found(sum *campaign.Summary) string {
	text := fmt.Sprint(sum.Total())
	if sum.Total() > 0 {
		text += fmt.Sprintf(", of %s; %d of them kept", finding.CountBugs(sum.Told()), sum.Kept())
	}
	if n := len(sum.Unconfirmed); n > 0 {
		text += fmt.Sprintf("; %d did not come back each time", n)
	}
	return text
}

// toldAt is where a known bug is told, in brackets.
func (h *Hunt) toldAt(name string) string {
	i := slices.IndexFunc(h.Bugs, func(b *known.Entry) bool { return b.Name == name })
	if i < 0 {
		return ""
	}
	return " (" + h.Bugs[i].Link + ")"
}

func percent(part, whole int) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}
