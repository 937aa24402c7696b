package cells_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"txweave/campaign/cells"
	"txweave/campaign/display"
	"txweave/campaign/rotation"
)

// A campaign of one cell, which is done after twelve cases.
func ExampleConfig() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "campaign-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	plan := &rotation.CampaignPlan{Parts: []rotation.Part{{Name: "ours", Target: "sqlite",
		Mode: rotation.ModeFuzz, Cases: 12}}}
	c := cells.Config{Plan: plan, Out: dir}
	x, err := c.Open(ctx, display.NewScreen(io.Discard))
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	err = x.Run(ctx)
	status, _, serr := x.Stand(ctx)
	fmt.Println(status.Cells[0].State, status.Bugs, err, serr)
	// Output: done 0 <nil> <nil>
}
