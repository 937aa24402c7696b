// Package sqltext holds what is known of schemas and of statements (Schema, Analysis), and divides texts into words:
// those of people, of scripts, of cases before they are admitted, and of statements that no tree is read of. Read tells
// by the words alone which kind a statement is and which tables it may name: more rather than less.
//
// What a statement means is asked of its tree: packages sql/analysis, sql/control, sql/edits and sql/classes.
package sqltext
