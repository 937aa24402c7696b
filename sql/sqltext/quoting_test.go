package sqltext

// Rules of databases, as their folders say them: the tests of this package read texts by each of them.
var (
	MySQL      = FileQuoting
	ANSI       = Quoting{Backquotes: true, Brackets: true}
	PostgreSQL = Quoting{EscapeTexts: true, Dollars: true, Nested: true, ReturnEnds: true}
)
