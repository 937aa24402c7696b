package sqltext

import (
	"errors"
	"strings"
)

// materials say whether the answer of a common table expression is kept, and what says so in MySQL's grammar to no effect.
var materials = [][2]string{{"AS MATERIALIZED (SELECT", "AS (SELECT SQL_BIG_RESULT"}, {"AS NOT MATERIALIZED (SELECT", "AS (SELECT SQL_SMALL_RESULT"}}

// FoldMaterials writes WITH c AS MATERIALIZED (SELECT … as WITH c AS (SELECT SQL_BIG_RESULT …, and the one with NOT with SQL_SMALL_RESULT, which no other DBMS has.
func (q Quoting) FoldMaterials(sql string) (string, error) {
	r := q.Rewrite(sql)
	for i := range r.Words {
		if !r.Words[i].Is("materialized") || r.At(i+1).Text != "(" {
			continue
		}
		from, kept := i-1, 0
		if r.At(from).Is("not") {
			from, kept = from-1, 1
		}
		if !r.At(from).Is("as") || !r.At(i+2).Is("select") {
			return "", errors.New("MATERIALIZED is read behind AS and before a SELECT")
		}
		r.Put(from, i+3-from, materials[kept][1])
	}
	return r.Done(), nil
}

// UnfoldMaterials is the way back.
func (q Quoting) UnfoldMaterials(sql string) string {
	r := q.Rewrite(sql)
	for i := range r.Words {
		for _, m := range materials {
			if r.Words[i].Is("as") && strings.EqualFold(r.Part(i, i+4), m[1]) {
				r.Put(i, 4, m[0])
			}
		}
	}
	return r.Done()
}
