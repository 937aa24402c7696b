package storming_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"txweave/campaign/storming"
	"txweave/exec"
)

// A short storm over the embedded SQLite, verified while it runs.
func ExampleConfig() {
	ctx := context.Background()
	c := storming.Default()
	c.Workload, c.Duration = "mini", 200*time.Millisecond
	s, err := c.Prepare(ctx)
	if err != nil {
		log.Fatal(err)
	}
	err = s.On.Use(ctx, func(t exec.Target) error {
		a, herr, err := s.Run(ctx, t)
		if err != nil {
			return err
		}
		fmt.Println(a.Found, a.Transactions > 0)
		return herr
	})
	fmt.Println(err)
	// Output:
	// 0 true
	// <nil>
}
