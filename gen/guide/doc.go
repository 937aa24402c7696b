// Package guide makes cases from cases: it makes the transactions of a generated one meet, and it changes those of
// known bugs, which somebody names, at random. docs/explanation/cases.md tells how, docs/decisions.md what was tried
// beside it and dropped.
//
// No case is made valid by hope: a change keeps what the generator guarantees (a pkey names one row, a vkey one writer,
// each statement has one result, whatever the plan), and the instrumenter is asked before a case goes out.
package guide
