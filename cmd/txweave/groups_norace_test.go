//go:build !race

package main

// What TestGroups and TestGroupsApart look at by themselves.
const (
	groupedFaults = "lost-commit,dirty-read,two-versions,wrong-affected"
	apartCases    = 60 // at most: as many as show them all
	apartFirst    = 0
)
