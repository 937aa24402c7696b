//go:build !race

package main

// What TestGroups and TestGroupsApart look at by themselves.
const (
	groupedFaults = "lost-commit,dirty-read,two-versions,wrong-affected"
	apartCases    = 16
	apartFirst    = 0
)
