//go:build race

package main

// What TestGroups and TestGroupsApart look at by themselves: little, because the race detector slows the engine, C turned into Go,
// down by far more than ordinary code.
const (
	groupedFaults = "lost-commit,wrong-affected"
	apartCases    = 8
	apartFirst    = 1
)
