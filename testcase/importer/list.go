package importer

import (
	"strings"
)

var (
	listWho = lazily(`(?i)^[*_\s]*(?:session|transaction|txn|trx|tx|connection|conn|client|thread|user|terminal|window|process|会话|事务)s?(?: ?(?:id|no\.?|number|#|name))?[*_\s]*$|` +
		`^[*_\s]*(?:who|where|tid|sid|pid|txid|conn_id|session_id|thread_id)[*_\s]*$`)
	listWhat = lazily(`(?i)^[*_\s]*(?:what|does|operation|statement|sql|query|command|action|event|sql statement|sql query|sql command|executed|语句|操作|sql语句)s?[*_\s]*$`)
	listName = lazily(`^[*_\s` + "`" + `]*([\w# -]{1,20}?)[*_\s` + "`" + `]*$`)
)

// listOf finds in the heading of a table with bars the column that says whose a statement is, and the column that holds it.
func listOf(line string) (who, what int, ok bool) {
	if !strings.Contains(line, "|") {
		return 0, 0, false
	}
	who, what = -1, -1
	for n, cell := range cellsOf(line, !strings.HasPrefix(strings.TrimSpace(line), "|")) {
		switch cell = strings.TrimSpace(cell); {
		case who < 0 && listWho.MatchString(cell):
			who = n
		case what < 0 && listWhat.MatchString(cell):
			what = n
		}
	}
	return who, what, who >= 0 && what >= 0
}

// listSpeaks says whether rows name at least two sessions, with statements.
func listSpeaks(rows []string, who, what int) bool {
	names := map[string]bool{}
	for i, row := range rows {
		name, text := listRow(row, who, what)
		if i > rowsSeen || i > 0 && !strings.Contains(row, "|") || len(names) > 1 {
			break
		}
		if isStatement(withoutPrompt(asCode(text))) && name != "" {
			names[normal(name)] = true
		}
	}
	return len(names) > 1
}

func listRow(row string, who, what int) (name, text string) {
	cells := cellsOf(row, !strings.HasPrefix(strings.TrimSpace(row), "|"))
	if who < len(cells) {
		if m := listName.FindStringSubmatch(strings.TrimSpace(cells[who])); m != nil {
			name = strings.TrimSpace(m[1])
		}
	}
	if what < len(cells) {
		text = strings.TrimSpace(cells[what])
	}
	return name, text
}

// listed reads one row of such a table; false where it has ended.
func (t *table) listed(line int, row string, who, what int) bool {
	if !strings.Contains(row, "|") {
		return len(t.s.out) == 0 && strings.TrimSpace(row) == ""
	}
	if ruler.MatchString(row) {
		return true
	}
	name, text := listRow(row, who, what)
	if name == "" && len(t.columns) > 0 {
		name = t.columns[0].name
	}
	if name != "" && !wholeSession.MatchString(name) {
		name = "session " + name
	}
	if len(t.columns) == 0 || t.columns[0].name != name {
		t.columns, t.last = []column{{name: name}}, []int{-1}
	}
	for _, sql := range breaks.Split(text, -1) {
		t.cell(0, line, asCode(sql))
	}
	return true
}
