package importer

import (
	"regexp"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// usualMode is what servers begin with, as far as it matters to the tables and rows of a dump.
const usualMode = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

var definer = regexp.MustCompile("(?i)\\bdefiner\\s*=\\s*(?:`[^`]*`|'[^']*'|\\w+)" +
	"(?:\\s*@\\s*(?:`[^`]*`|'[^']*'|[\\w%.]+))?(?:\\s*\\(\\s*\\))?")

// dumpSettings are those by which a dump is read, and that change no answer.
var dumpSettings = strings.Fields(`names character collation_connection character_set_client character_set_results
	character_set_connection character_set_database sql_notes sql_log_bin unique_checks gtid_purged profiling
	net_write_timeout sql_quote_show_create time_zone`)

// compact is a statement in small letters without blanks, remarks and quotes.
func compact(sql string) string {
	var b strings.Builder
	for _, t := range lexer.Significant(sql, -1) {
		b.WriteString(strings.ToLower(t.Unquote()))
	}
	return strings.ReplaceAll(b.String(), ":=", "=")
}

// setsModeBack says whether a statement sets the mode to what its session began with and kept in a variable.
func (b *scriptBuilder) setsModeBack(p *piece) bool {
	flat := compact(p.sql)
	name, _ := settingOf(p.sql)
	_, kept, _ := strings.Cut(flat, "=@")
	if name != "sql_mode" || kept == "" || strings.ContainsAny(kept, "@,(") {
		return false
	}
	for i := 0; i < len(b.out) && &b.out[i] != p; i++ {
		q := &b.out[i]
		if q.tag != p.tag || sqltext.KindOf(q.sql) != sqltext.Set {
			continue
		}
		if strings.Contains(strings.ReplaceAll(compact(q.sql), "@@session.", "@@"), "@"+kept+"=@@sql_mode") {
			return true
		}
		if name, _ := settingOf(q.sql); name == "sql_mode" {
			return false
		}
	}
	return false
}

// drops says whether a statement drops a table, or what else a text clears away.
func drops(sql string) bool {
	w := words(sql, 3)
	if len(w) > 2 && w[1] == "TEMPORARY" {
		w = w[1:]
	}
	return len(w) > 1 && word(sql, 0) == "DROP" &&
		slices.Contains([]string{"TABLE", "VIEW", "PROCEDURE", "FUNCTION", "TRIGGER", "DATABASE", "SCHEMA", "INDEX",
			"SEQUENCE"}, w[1])
}

// databaseOf is the database that a CREATE TABLE names; "" for none.
func databaseOf(sql string) string {
	list := lexer.Significant(sql, 7)
	if len(list) < 5 || !list[0].Is("create") || !list[1].Is("table") {
		return ""
	}
	if list = list[2:]; list[0].Is("if") && len(list) > 4 {
		list = list[3:]
	}
	if name, ok := list[0].Ident(); ok && list[1].Text == "." {
		return name
	}
	return ""
}

// quietSet says whether a SET does nothing but what a dump does for the way it is read.
func quietSet(sql string) bool {
	depth, starts := 0, true
	user := 0 // how many @ stand in front
	for _, t := range lexer.Significant(sql, -1)[1:] {
		depth += t.Nesting()
		name, _ := t.Ident()
		switch {
		case t.Text == "," && depth == 0:
			starts, user = true, 0
		case !starts || t.Is("session", "local", "global") || t.Text == ".":
		case t.Text == "@":
			user++
		case user == 1 && (strings.HasPrefix(name, "old_") || name == "saved_cs_client" ||
			name == "mysqldump_temp_log_bin"):
			starts = false
		case user == 1 || !slices.Contains(dumpSettings, name):
			return false
		default:
			starts = false
		}
	}
	return true
}

// setsMode takes a statement that sets what every script of the target has, so or otherwise; false for another one.
func (b *scriptBuilder) setsMode(p *piece) bool {
	mode := sqltext.SyntaxOf(b.target).Admission.Mode
	text := compact(p.sql)
	if mode.Sets == "" || !strings.HasPrefix(text, mode.Sets) {
		return false
	}
	if b.moded = true; text != mode.Is {
		b.note(p, text != mode.Sets, "left out: %s: %s", quote(p.sql), mode.Means)
	}
	return true
}

// noise takes what changes no answer: what a dump puts around its tables, databases' names, what clears the way.
func (b *scriptBuilder) noise(p *piece) bool {
	w := append(words(p.sql, 9), "", "")
	session := p.ofSession()
	switch {
	case w[0] == "USE" || (w[0] == "CREATE" || w[0] == "DROP") && (w[1] == "DATABASE" || w[1] == "SCHEMA"):
		name := slices.IndexFunc(w[1:], func(w string) bool {
			return !slices.Contains([]string{"DATABASE", "SCHEMA", "IF", "NOT", "EXISTS"}, w)
		})
		b.databases[strings.ToLower(w[1+name])] = true
		return w[0] != "DROP" || !b.begun
	case b.setsMode(p):
		return true
	case w[0] == "SOURCE":
		b.note(p, true, "left out: another file: %s", quote(p.sql))
		return true
	case b.globalLevel(p):
		return true
	case !b.begun && drops(p.sql) && !b.made(p.sql) && (!session || !strings.Contains(p.sql, ".")):
		return true
	case session || b.begun:
		return false
	case compact(p.sql) == "selectpg_catalog.set_config(search_path,,false)": // as pg_dump has it
		return true
	case w[0] == "LOCK" || w[0] == "UNLOCK":
		return p.dump || len(b.s.Steps) == 0 && w[1] != "INSTANCE"
	case sqltext.KindOf(p.sql) == sqltext.Alter && (strings.HasSuffix(compact(p.sql), "disablekeys") ||
		strings.HasSuffix(compact(p.sql), "enablekeys")):
		return true
	}
	return w[0] == "SET" && quietSet(p.sql)
}
