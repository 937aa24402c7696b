//go:build race

package main

// What TestGroups and TestGroupsApart look at by themselves: little, because the race detector slows the engine, C turned into Go,
// down by far more than ordinary code.
const (
	groupedFaults = "lost-commit,wrong-affected"
	apartCases    = 60 // at most: as many as show them all
	apartFirst    = 1
)
