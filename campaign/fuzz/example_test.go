package fuzz_test

import (
	"context"
	"fmt"
	"log"

	"txweave/campaign/fuzz"
)

// A bug is planted in the embedded SQLite and found; nothing is kept, as the Config names no store.
func ExampleConfig() {
	ctx := context.Background()
	c := fuzz.Default()
	c.Target.Inject = []string{"dirty-read"}
	c.Seed, c.Cases, c.Once, c.NoReduce = 8, 100, true, true
	h, err := c.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	sum, err := h.Run(ctx)
	fmt.Println(sum.Reported() > 0, err)
	// Output: true <nil>
}
