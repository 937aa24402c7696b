package gen

func init() {
	registerOptions("transactions", []entry{
		{"savepoint", 20, about{what: "SAVEPOINT, ROLLBACK TO, RELEASE; nested ones, names used again", covers: "g:savepoint; savepoint"}},
		{"autocommit", 15, about{what: "statements in autocommit beside transactions", covers: "g:autocommit; autocommit", needs: CanStandAlone}},
	})
	registerOptions("changes of tables beside transactions", []entry{
		{"ddl-index", 7, about{what: "an index comes, and goes again", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-column", 5, about{what: "a column that no statement uses comes, and goes again", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-rebuild", 3, about{what: "a table is built anew", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-analyze", 3, about{what: "a table's statistics are made anew", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
	})
}
