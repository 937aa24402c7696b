// Package sql holds statements as trees: one set of nodes for all databases, and the reader and the printer that a
// Dialect drives with its tables. Package sql/NAME has the tables of one database.
//
// A statement's spelling can be what a bug hangs on, so that it is part of the tree:
//
//   - Each node that was read has its own bytes, and prints them, with the comments in between.
//   - A tree is frozen once it is read or built: nobody changes a node. Whoever wants another one changes a copy
//     (Rewrite, Edit, or by hand). A copy knows of which node it is one. Where it differs in nothing but what stands in
//     the places of its children, it prints the bytes of that node with these put in; otherwise it is printed anew, and
//     the children that are as they were print theirs.
//   - Names, literals and parameters keep their spelling also where all others are dropped (Dialect.Reprint).
//
// What a reader does not know is an error with its place, never a guess. What was printed anew is read again before it
// is handed out (Dialect.Print): a rewriting that would say something else is an error too.
//
// What all databases have in common is one node, however it is spelled (a IS b, a <=> b and a IS NOT DISTINCT FROM b);
// what means different things in them are different nodes (INSERT OR …, ON CONFLICT and ON DUPLICATE KEY).
package sql

//go:generate go run ./internal/generate
