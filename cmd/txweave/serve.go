package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/cells"
	"txweave/campaign/database"
	"txweave/campaign/site"
	"txweave/internal/trust"
)

// trustFlags say what the user means to be run though only data names it.
type trustFlags struct {
	codes  []string
	opened *trust.Book
}

func (f *trustFlags) add(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.codes, "trust", nil,
		"confirm a server or command that only the directory or file names, by the code that was shown")
}

// book remembers what the user has named.
func (f *trustFlags) book() *trust.Book {
	if f.opened == nil {
		f.opened = trust.Open(f.codes...)
	}
	return f.opened
}

// pageFlags say where a campaign's page is shown, and to whom.
type pageFlags struct {
	site.Config
	trustFlags
}

func (f *pageFlags) add(fs *pflag.FlagSet, address string) {
	fs.StringVar(&f.HTTP, "http", address, "show the campaign's page at this address, e.g. 127.0.0.1:8080")
	fs.StringVar(&f.TokenFile, "token-file", "",
		"file with the token that visitors must give (default: no token, and the page is for this machine)")
	f.trustFlags.add(fs)
	fs.StringVar(&f.UserHeader, "user-header", "",
		"header in which a proxy before the page names its user, and which it removes from requests")
}

// page is what the flags say; its token has been read.
func (f *pageFlags) page(ctx context.Context) (*site.Config, error) {
	f.Book, f.Self = f.book(), self()
	return &f.Config, f.ReadToken(ctx)
}

func serveCommand() *cobra.Command {
	var f pageFlags
	var store string
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show a campaign in a browser",
		Long: `The page shows the cells over time, the bugs, and each finding with its timeline and reports. Bugs
are settled there, and findings run again. A server that only the directory names must be confirmed
once (--trust).
/metrics is for Prometheus, /healthz for a supervisor.`,
		Example: `  txweave serve found
  txweave serve found --http 0.0.0.0:8080 --token-file token`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			page, err := f.page(cmd.Context())
			if err != nil {
				return err
			}
			dir := append(args, cells.DefaultOut)[0]
			db, err := database.At(cmd.Context(), store, dir, false)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, db.Close()) }()
			_, wait, err := page.Show(cmd.Context(), db, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return wait()
		},
	}
	f.add(cmd.Flags(), site.AnyPort)
	addStore(cmd.Flags(), &store, sharedStore)
	return cmd
}
