package sqltext

// wordSet holds keywords, in lower case.
type wordSet map[string]bool

// has says whether a word is one of them, in whatever case.
func (s wordSet) has(word string) bool {
	var b [24]byte // as long as the longest of any set
	if len(word) > len(b) {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b[i] = c
	}
	return s[string(b[:len(word)])]
}

// tableWords are those that keyword looks at.
var tableWords = wordSet(
	names(`select from join straight_join using references table view like on to as rename insert replace merge update
	delete set group order returning lateral only for of`))

// frame is what holds inside one pair of parentheses.
type frame struct {
	query  bool // a query or a statement: FROM is its clause and not a word of a function's arguments
	list   bool // a comma is followed by a table
	expect bool // a table comes next
}

// finder looks for the names in tables' places. A place that it takes for one too many is harmless, one that it misses
// is not: what the case may touch is judged by it.
type finder struct {
	tokens []Token
	kind   Kind
	body   int  // where the statement begins behind its WITH clause
	index  bool // it creates an index
	frames []frame
	named  []TableName
	target int  // index in named of what the statement writes; -1
	column bool // behind RETURNING
}

func (f *finder) at(i int) Token {
	if i < 0 || i >= len(f.tokens) {
		return Token{}
	}
	return f.tokens[i]
}

func (f *finder) top() *frame { return &f.frames[len(f.frames)-1] }

func (f *finder) run() {
	f.frames, f.target = []frame{{query: true}}, -1
	f.index = f.kind == Create && creates(f.tokens) == "index"
	for i := 0; i < len(f.tokens); {
		i = f.step(i)
	}
}

// step takes the token at i and returns where the next one is.
func (f *finder) step(i int) int {
	t := f.tokens[i]
	switch {
	case t.Text == "(" && t.Kind == Symbol:
		f.frames = append(f.frames, frame{list: f.top().expect, expect: f.top().expect})
		f.frames[len(f.frames)-2].expect = false
		return i + 1
	case t.Text == ")" && t.Kind == Symbol:
		if len(f.frames) > 1 {
			f.frames = f.frames[:len(f.frames)-1]
		}
		return i + 1
	case t.Text == "," && t.Kind == Symbol:
		f.top().expect = f.top().list
		return i + 1
	case t.Kind == Word && f.at(i-1).Text != ".":
		if next := f.keyword(i); next > 0 {
			return next
		}
	}
	if f.top().expect && (t.Kind == Word || t.Kind == Name || t.Kind == Literal) {
		return f.name(i)
	}
	return i + 1
}

// keyword takes a word that says where tables stand; 0 if it is none.
func (f *finder) keyword(i int) int {
	t, last, top := f.tokens[i], f.at(i-1), f.top()
	if !tableWords.has(t.Text) {
		return 0
	}
	switch {
	case t.Is("select"):
		*top = frame{query: true}
	case f.listBegins(i):
		top.list, top.expect = true, true
	case t.Is("references"), t.Is("table") && f.at(i+1).Text != "(", t.Is("view") && f.kind == Create:
		top.expect = true
		return f.mark(f.conditions(i+1), t.Is("table", "view"))
	case t.Is("of") && last.Is("partition") && f.kind == Create:
		top.expect = true
	case f.definesOf(i):
		top.expect = true
		return f.mark(i+1, t.Is("on"))
	case i == f.body && t.Is("insert", "replace", "merge", "update", "delete"):
		*top = frame{query: true, expect: true, list: t.Is("update", "delete")}
		return f.mark(f.modifiers(i+1), true)
	case t.Is("update") && last.Is("key"), t.Is("set", "group", "order") && !last.Is("for"):
		top.list, top.expect = false, false
	case t.Is("returning"):
		f.column = true
	case t.Is("lateral", "only") && top.expect, t.Is("for") && last.Is("index", "key"):
	default:
		return 0
	}
	return i + 1
}

// listBegins says whether a list of tables begins behind a word, or goes on: FROM, JOIN, USING.
func (f *finder) listBegins(i int) bool {
	t, last, top := f.tokens[i], f.at(i-1), f.top()
	switch {
	case t.Is("from"):
		return top.query && !(last.Is("distinct") && f.at(i-2).Is("is", "not"))
	case t.Is("join"):
		return !last.Is("for")
	case t.Is("straight_join"):
		return !last.Is("for") && top.list
	case t.Is("using"):
		return f.at(i+1).Text != "(" && (top.query || top.list) && f.kind <= Delete
	}
	return false
}

// definesOf says whether a table's name stands behind a word of a definition: LIKE, ON, RENAME, RENAME TO.
func (f *finder) definesOf(i int) bool {
	t := f.tokens[i]
	switch {
	case t.Is("like"):
		return f.kind == Create && i > 2 && len(f.frames) <= 2
	case t.Is("on"):
		return f.index && len(f.frames) == 1
	case t.Is("to", "as"):
		return f.kind == Alter && f.at(i-1).Is("rename")
	case t.Is("rename"):
		return f.kind == Alter && f.plainRename(i)
	}
	return false
}

// mark notes that the next name is what the statement writes or defines.
func (f *finder) mark(next int, target bool) int {
	if target && f.target < 0 {
		f.target = len(f.named)
	}
	return next
}

// plainRename says whether ALTER TABLE … RENAME is followed by the new name at once.
func (f *finder) plainRename(i int) bool {
	return !f.at(i+1).Is("to", "as", "column", "index", "key", "constraint")
}

// conditions skips IF NOT EXISTS.
func (f *finder) conditions(i int) int {
	for f.at(i).Is("if", "not", "exists") {
		i++
	}
	return i
}

// modifiers skips the words between INSERT, REPLACE, MERGE, UPDATE or DELETE and its table.
func (f *finder) modifiers(i int) int {
	for {
		switch t := f.at(i); {
		case t.Is("or"): // OR REPLACE and its like
			i += 2
		case t.Is("low_priority", "high_priority", "delayed", "ignore", "into", "from"),
			t.Is("quick") && f.at(i+1).Is("from", "ignore"):
			i++
		default:
			return i
		}
	}
}

// name takes the name of a table at i, with what qualifies it.
func (f *finder) name(i int) int {
	f.top().expect = false
	if f.at(i+1).Text == "(" && f.tokens[i].Kind == Word && !f.defines(i) {
		return i + 1 // a function that returns a table
	}
	n := TableName{Name: lower(f.tokens[i].Unquote()), Text: f.tokens[i].Text, column: f.column}
	i++
	for f.at(i).Text == "." {
		if f.at(i+1).Text == "*" { // DELETE t.* FROM …
			i += 2
			break
		}
		n.Qualifier, n.Name, n.Text = n.String(), lower(f.at(i+1).Unquote()), n.Text+"."+f.at(i+1).Text
		i += 2
	}
	f.named = append(f.named, n)
	return i
}

// defines says whether the name at i stands before a list of columns and not before arguments.
func (f *finder) defines(i int) bool {
	last := f.at(i - 1)
	return f.kind == Create || f.kind == Alter || f.kind == Insert && last.Is("into", "insert", "replace", "ignore",
		"low_priority", "delayed", "high_priority") ||
		f.kind == Insert && f.at(i-2).Is("or")
}
