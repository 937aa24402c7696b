package sqltext

import (
	"slices"
	"strings"
)

// nullCalls are calls that no DBMS has, by where NULLs stand in an order.
var nullCalls = [][2]string{{"first", "NULLS_FIRST"}, {"last", "NULLS_LAST"}}

// orderEnds are the words that may stand behind an item of an ORDER BY.
var orderEnds = []string{"limit", "offset", "fetch", "rows", "range", "groups", "for", "lock", "window", "union", "except", "intersect", "returning", "on", "separator"}

// FoldNulls writes ORDER BY a DESC NULLS LAST as ORDER BY NULLS_LAST(a) DESC.
func (q Quoting) FoldNulls(sql string) string {
	for {
		p := q.Phrase(sql)
		at := slices.IndexFunc(p.Words, func(w PhraseWord) bool { return w.Is("nulls") })
		for at >= 0 && at < len(p.Words) && !(p.Words[at].Is("nulls") && p.At(at+1).Is("first", "last")) {
			at++
		}
		if at < 0 || at == len(p.Words) {
			return sql
		}
		from, end := p.ItemBefore(at), at
		if p.At(at-1).Is("asc", "desc") {
			end--
		}
		if from >= end {
			return sql // no statement: the grammar says why
		}
		call := nullCalls[0][1]
		if p.At(at + 1).Is("last") {
			call = nullCalls[1][1]
		}
		sql = sql[:p.Words[from].From] + call + "(" + p.Part(from, end) + ")" + sql[p.Words[end-1].To:p.Words[at-1].To] + sql[p.Words[at+1].To:]
	}
}

// ItemBefore is the word that begins the item of an ORDER BY which ends before word i.
func (p Phrase) ItemBefore(i int) int {
	from := i - 1
	for from >= 0 && (p.Words[from].Depth > p.Words[i].Depth || p.Words[from].Text != "," && !p.Words[from].Is("by") && p.Words[from].Depth == p.Words[i].Depth) {
		from--
	}
	return from + 1
}

// UnfoldNulls is the way back; ok is false where such a call is no item of an ORDER BY any more.
func (q Quoting) UnfoldNulls(sql string) (text string, ok bool) {
	for {
		p := q.Phrase(sql)
		at, which := -1, 0
		for i := range p.Words {
			for k, call := range nullCalls {
				if p.At(i+1).Text == "(" && p.Words[i].Kind == Word && strings.EqualFold(p.Words[i].Text, call[1]) {
					at, which = i, k // the last one first: items may have some themselves
				}
			}
		}
		if at < 0 {
			return sql, true
		}
		end := p.Close(at + 1)
		next := end + 1
		if p.At(next).Is("asc", "desc") {
			next++
		}
		behind := p.At(next)
		if end == len(p.Words) || p.At(at-1).Text != "," && !p.At(at-1).Is("by") || behind.Text != "" && behind.Text != "," && behind.Text != ")" && behind.Text != ";" && !behind.Is(orderEnds...) {
			return "", false
		}
		place := " NULLS " + strings.ToUpper(nullCalls[which][0])
		sql = sql[:p.Words[at].From] + p.Part(at+2, end) + sql[p.Words[end].To:p.Words[next-1].To] + place + sql[p.Words[next-1].To:]
	}
}

// IsNullsCall says whether a function, in lower case, is one of those calls.
func IsNullsCall(name string) bool {
	return slices.ContainsFunc(nullCalls, func(call [2]string) bool { return strings.EqualFold(call[1], name) })
}
