package dialect_test

import (
	"testing"

	"pgregory.net/rapid"

	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// operands has a table of texts and truths, each of which is the other where that is asked for, and operators of both:
// so whatever is built of them has a type.
const operands = `CREATE TABLE t (a text, b boolean, c text, d boolean);
CREATE CAST (text AS boolean) WITH INOUT AS IMPLICIT;
UPDATE pg_cast SET castcontext = 'i' WHERE castsource = 'boolean'::regtype AND casttarget = 'text'::regtype;
SET allow_system_table_mods = on;
DO $do$
DECLARE x text; y text; op text; result text;
BEGIN
	CREATE FUNCTION word(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
	CREATE FUNCTION word(boolean) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
	FOREACH x IN ARRAY ARRAY['text', 'boolean'] LOOP
		FOREACH op IN ARRAY ARRAY['+', '-', '~', '@', '|/'] LOOP
			EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = word, RIGHTARG = %s)', op, x);
		END LOOP;
		FOREACH y IN ARRAY ARRAY['text', 'boolean'] LOOP
			EXECUTE format('CREATE FUNCTION word(%s, %s) RETURNS text LANGUAGE plpgsql AS ''BEGIN RETURN $1; END''', x, y);
			EXECUTE format('CREATE FUNCTION truth(%s, %s) RETURNS boolean LANGUAGE plpgsql AS ''BEGIN RETURN TRUE; END''', x, y);
			EXECUTE format('CREATE FUNCTION pg_catalog.timezone(%s, %s) RETURNS text LANGUAGE plpgsql AS ''BEGIN RETURN $1; END''', x, y);
			FOREACH op IN ARRAY ARRAY['=', '<>', '<', '<=', '>', '>=', '~~', '!~~', '~~*', '!~~*', '~*', '!~', '@>', '?|', '~', '!~*'] LOOP
				EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = truth, LEFTARG = %s, RIGHTARG = %s)', op, x, y);
			END LOOP;
			FOREACH op IN ARRAY ARRAY['+', '-', '*', '/', '%', '^', '||', '->', '->>', '#', '&', '|', '<<', '>>'] LOOP
				EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = word, LEFTARG = %s, RIGHTARG = %s)', op, x, y);
			END LOOP;
		END LOOP;
	END LOOP;
END $do$;
SET search_path = public, pg_catalog`

// TestOperatorsBindAsInPostgreSQL: what is printed of a tree with as few parentheses as may be, the server takes for
// what is printed with parentheses around each operator, and so does what is read of the former and printed with them.
func TestOperatorsBindAsInPostgreSQL(t *testing.T) {
	o := ask(t, operands)
	asked, compared := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var stmt sql.Stmt = &sql.Query{Body: &sql.Select{Items: []*sql.Item{{X: trees.Operators(rt, trees.PostgreSQL)}},
			From: &sql.Table{Name: &sql.Name{Value: "t"}}}}
		text, err := dialect.Print(stmt)
		if err != nil {
			rt.Fatal(err)
		}
		full, err := dialect.Print(trees.Enclosed(stmt))
		if err != nil {
			rt.Fatal(err)
		}
		if !o.takes(text) {
			rt.Fatalf("%s is no statement", text)
		}
		asked++
		few, ok := o.means(text)
		if !ok { // it has no type: COLLATE of a truth
			return
		}
		compared++
		if all, ok := o.means(full); !ok || few != all {
			rt.Fatalf("%s\nis something else than\n%s\n%s\n%s", text, full, few, all)
		}
	})
	t.Logf("of %d expressions %d were compared", asked, compared)
	const enough = 30 // of fewer the share says nothing
	if asked >= enough && compared < asked*2/3 {
		t.Errorf("of %d expressions %d were compared", asked, compared)
	}
}

// words are what most of which the server reads in a row.
var words = trees.Neighbours{
	Before: []string{"NOT", "-", "+", "~", "@"},
	Behind: []string{"ISNULL", "NOTNULL", "IS NULL", `COLLATE "C"`, "IN (b, a)", "NOT IN (b)", "IS NOT TRUE", "::text",
		"= ANY (ARRAY['x'])", "IS NOT UNKNOWN"},
	Between: []string{"AND", "AND", "OR", "=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "<", ">=", "+", "-", "*",
		"/", "%", "^", "||", "->", "&", "|", "<<", "~", "!~",
		"AT TIME ZONE", "LIKE", "NOT LIKE", "ILIKE", "SIMILAR TO", "BETWEEN", "NOT BETWEEN", "ESCAPE", "COLLATE"},
}

// TestWordsInARowAreReadAsByPostgreSQL: whatever stands behind each other outside parentheses, the server reads it if
// the reader does, and as the tree says.
func TestWordsInARowAreReadAsByPostgreSQL(t *testing.T) {
	o := ask(t, operands)
	readable, compared := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := "SELECT " + words.InARow(rt) + " AS x FROM t"
		stmt, err := dialect.Parse(text)
		if takes := o.takes(text); takes != (err == nil) {
			rt.Fatalf("%s: the server reads it: %v; %v", text, takes, err)
		}
		if err != nil {
			return
		}
		readable++
		full, err := dialect.Print(trees.Enclosed(stmt))
		if err != nil {
			rt.Fatal(err)
		}
		was, ok := o.means(text)
		if !ok {
			return
		}
		compared++
		if is, ok := o.means(full); !ok || was != is {
			rt.Fatalf("%s\nis something else than\n%s\n%s\n%s", text, full, was, is)
		}
	})
	t.Logf("of %d expressions %d were compared", readable, compared)
	if compared < readable/2 {
		t.Errorf("of %d expressions %d were compared", readable, compared)
	}
}
