// Package guide makes cases from cases: it makes the transactions of a generated one meet; it keeps those that showed something
// new, changes them at random, and says what is tried next. What a case showed is a set of shapes: features of statements that met
// in a transaction or across a dependency, paths of the graph, errors, waits. docs/guidance.md tells the idea and what it gave.
//
// Guidance never makes a case valid by hope: a change keeps what the generator guarantees (a pkey names one row, a vkey one
// writer, each statement has one result, whatever the plan), and the instrumenter is asked before a case goes out.
//
// The same corpus and seed give the same cases as long as cases are learned from in the order in which they were given out:
// with one worker.
package guide
