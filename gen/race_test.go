//go:build race

package gen

// defaultCases is small because the race detector slows the engine, C turned into Go, down by far more than ordinary code.
const defaultCases = 12
