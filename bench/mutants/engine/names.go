package sqlite3

// mutantNames are the mutants of the patched engine, by number. The build replaces this file by one with their names.
var mutantNames []string
