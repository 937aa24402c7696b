// Package sqltext understands SQL statements as text: what each is (Kind), which tables it names, where its tokens,
// literals and comments end. Read answers it for one statement, by tokens alone, so it holds for every dialect and for
// what no parser reads.
//
// Whatever needs a syntax tree stands behind Parser, an interface that takes texts and gives texts, sets of names and
// numbers, never a node: the tree of a grammar is of no use beside that grammar. Package sqltext/mysql is the one for
// MySQL, MariaDB and TiDB, which reads most of SQLite too; a grammar for another DBMS is another package like it.
package sqltext
