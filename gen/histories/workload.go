package histories

import (
	"fmt"
	"math/rand/v2"

	"txweave/gen/workload"
)

// shaper appends the accesses of one transaction to buf.
type shaper func(rng *rand.Rand, buf []workload.KeyAccess) []workload.KeyAccess

func newShape(cfg Config, keys *workload.Keys) (shaper, error) {
	switch cfg.Shape {
	case Mini:
		return func(rng *rand.Rand, buf []workload.KeyAccess) []workload.KeyAccess {
			return workload.MiniAccesses(rng, keys, buf)
		}, nil
	case CompareAndSet:
		return func(rng *rand.Rand, buf []workload.KeyAccess) []workload.KeyAccess {
			x := keys.Draw(rng)
			buf = append(buf, workload.KeyAccess{Key: x})
			if rng.IntN(2) == 0 {
				buf = append(buf, workload.KeyAccess{Key: x, Write: true})
			}
			return buf
		}, nil
	case Blind:
		return func(rng *rand.Rand, buf []workload.KeyAccess) []workload.KeyAccess {
			writes := 1.0
			if rng.IntN(2) == 0 {
				writes = 0.5
			}
			return drawOps(rng, keys, buf, cfg.Ops, writes)
		}, nil
	case General:
		return func(rng *rand.Rand, buf []workload.KeyAccess) []workload.KeyAccess {
			return drawOps(rng, keys, buf, cfg.Ops, cfg.Writes)
		}, nil
	default:
		return nil, fmt.Errorf("there is no shape %q: want mini, blind, general or cas", cfg.Shape)
	}
}

func drawOps(rng *rand.Rand, keys *workload.Keys, buf []workload.KeyAccess, n int,
	writes float64) []workload.KeyAccess {
	for range n {
		buf = append(buf, workload.KeyAccess{Key: keys.Draw(rng), Write: rng.Float64() < writes})
	}
	return buf
}
