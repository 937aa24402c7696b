package sqltext

// FoldFilters writes SUM(a) FILTER (WHERE c) as SUM(FILTER(c, a)), and COUNT(*) FILTER (WHERE c) as COUNT(FILTER(c)): a call that no DBMS has.
func (q Quoting) FoldFilters(sql string) string {
	for {
		r := q.Phrase(sql)
		at := -1
		for i := 0; i < len(r.Words) && at < 0; i++ {
			if r.Words[i].Is("filter") && r.At(i+1).Text == "(" && r.At(i+2).Is("where") && r.At(i-1).Text == ")" {
				at = i
			}
		}
		if at < 0 {
			return sql
		}
		open, end := r.Open(at-1), r.Close(at+1)
		if end == len(r.Words) || open <= 0 {
			return sql // no statement: the grammar says why
		}
		first := open + 1
		if r.At(first).Is("distinct") {
			first++
		}
		last := first // of the first argument
		for last < at-1 && !(r.Words[last].Depth == r.Words[open].Depth+1 && (r.Words[last].Text == "," || r.Words[last].Is("order"))) {
			last++
		}
		inner := "FILTER(" + r.Part(at+3, end)
		if r.Part(first, last) != "*" {
			inner += ", " + r.Part(first, last)
		}
		sql = sql[:r.Words[first].From] + inner + ")" + sql[r.Words[last-1].To:r.Words[at-1].To] + sql[r.Words[end].To:]
	}
}

// UnfoldFilters is the way back; ok is false where such a call is no aggregate's argument any more.
func (q Quoting) UnfoldFilters(sql string) (text string, ok bool) {
	for {
		r := q.Phrase(sql)
		at := -1
		for i := range r.Words { // the last one first: conditions may have some themselves
			if r.Words[i].Is("filter") && r.At(i+1).Text == "(" && !r.At(i+2).Is("where") {
				at = i
			}
		}
		if at < 0 {
			return sql, true
		}
		open := at - 1
		if r.At(open).Is("distinct") {
			open--
		}
		end := r.Close(at + 1)
		if r.At(open).Text != "(" || r.At(open-1).Kind != Word || end == len(r.Words) || r.Close(open) == len(r.Words) {
			return "", false
		}
		commas := r.Commas(at + 1)
		condition, argument := r.Part(at+2, end), "*"
		if len(commas) > 0 {
			condition, argument = r.Part(at+2, commas[0]), r.Part(commas[0]+1, end)
		}
		closing := r.Words[r.Close(open)]
		sql = sql[:r.Words[at].From] + argument + sql[r.Words[end].To:closing.To] + " FILTER (WHERE " + condition + ")" + sql[closing.To:]
	}
}
