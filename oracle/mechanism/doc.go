// Package mechanism is the mechanism oracle (Li et al., Leopard, ICDE 2023). It reads an interval trace and checks
// the four mechanisms that isolation levels are made of: consistent read, mutual exclusion, first updater wins, and
// the serialization certifier; and it looks for the phenomena that the level forbids in the dependencies that the
// mechanisms certify.
//
// Its claim: a violation is reported only if it follows from every order of the real moments, of snapshots, lock
// acquisitions, lock releases and commits, that the recorded intervals allow. Where intervals overlap and nothing
// else settles the order, the dependency is uncertain; it is counted and nothing is reported.
//
// What differs from the paper, because the paper's rule would report what is correct:
//
//   - A version is visible to others from its transaction's commit, not from the write (Definition 1); the write's
//     interval orders versions under locks. Versions that a transaction overwrote itself or rolled back are visible
//     to nobody else.
//   - A version counts as overwritten only by one that surely came after it and was surely committed before the
//     snapshot. Orders that ME, FUW or a read-modify-write settle count as well as disjoint intervals.
//   - SSI's dangerous structure needs the commit order and concurrency of both pairs, not two anti-dependencies.
//
// A trace is dispatched in order of start (dispatch.go; Algorithm 1), its items are checked in parallel partitions
// (partition.go, items.go, chain.go, locks.go; Algorithm 2), and what they certify meets in the order graph (order.go)
// and the conflict graph (conflict.go).
package mechanism
