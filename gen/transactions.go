package gen

func init() {
	registerOptions("transactions", []entry{
		{"savepoint", 20, about{what: "SAVEPOINT, ROLLBACK TO, RELEASE; nested ones, names used again", covers: "g:savepoint; savepoint"}},
	})
}
