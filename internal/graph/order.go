package graph

import "math/rand/v2"

// Order returns the nodes in a topological order: those that nothing leads to first, ascending, and a node as soon as
// all that lead to it are there (Kahn, "Topological sorting of large networks", CACM 1962). degree holds how many edges
// lead to each node and is used up: where there is a cycle the order is shorter, and of each node that is not in it
// degree then says how many edges lead to it from others that are not.
func Order(degree []int32, next Next) []int32 {
	order := make([]int32, 0, len(degree))
	for u, d := range degree {
		if d == 0 {
			order = append(order, int32(u))
		}
	}
	var buf []int32
	for i := 0; i < len(order); i++ {
		buf = next(order[i], buf[:0])
		for _, to := range buf {
			if degree[to]--; degree[to] == 0 {
				order = append(order, to)
			}
		}
	}
	return order
}

// RandomOrder returns the nodes in a random topological order: at each step one of those is drawn that only placed ones
// lead to. It uses degree up as Order does, and is shorter where there is a cycle.
func RandomOrder(degree []int32, next Next, rng *rand.Rand) []int32 {
	order := make([]int32, 0, len(degree))
	var ready, buf []int32
	for u, d := range degree {
		if d == 0 {
			ready = append(ready, int32(u))
		}
	}
	for len(ready) > 0 {
		k := rng.IntN(len(ready))
		v := ready[k]
		ready[k] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, v)
		buf = next(v, buf[:0])
		for _, to := range buf {
			if degree[to]--; degree[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return order
}

// OrderNear returns the nodes of a graph, given by the predecessors of each, in a topological order near another order
// of them: depth first, each node right after what must come before it. It returns nil if there is a cycle.
func OrderNear(pred [][]int32, near []int32) []int32 {
	const fresh, entered, done, none = 0, 1, 2, -1
	state := make([]uint8, len(pred))
	next := make([]int32, len(pred)) // by node: its first predecessor that has not been looked at
	order := make([]int32, 0, len(pred))
	var stack []int32
	for _, root := range near {
		if state[root] == fresh {
			stack = append(stack, root)
		}
		for len(stack) > 0 {
			u := stack[len(stack)-1]
			state[u] = entered
			down := int32(none)
			for down == none && int(next[u]) < len(pred[u]) {
				v := pred[u][next[u]]
				next[u]++
				switch state[v] {
				case entered:
					return nil
				case fresh:
					down = v
				}
			}
			if down != none {
				stack = append(stack, down)
				continue
			}
			stack = stack[:len(stack)-1]
			state[u] = done
			order = append(order, u)
		}
	}
	return order
}
