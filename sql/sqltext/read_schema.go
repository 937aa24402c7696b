package sqltext

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/functions"
)

// Schema reads the statements that define a case's tables.
func (x *Syntax) Schema(ddl []string) *Schema { return ReadSchema(x.Tree, ddl) }

// ReadSchema reads the statements that define a case's tables. Of a table that is defined twice it takes the first
// definition, of one that is not read its name; other statements it passes over.
func ReadSchema(d *sql.Dialect, ddl []string) *Schema {
	s := &Schema{index: map[string]*Table{}}
	for _, text := range ddl {
		stmt, err := d.Parse(text)
		if err != nil {
			s.addUnread(text)
			continue
		}
		s.OtherKeys = s.OtherKeys || sql.Has(stmt, isOtherKey)
		switch n := stmt.(type) {
		case *sql.CreateIndex:
			s.addIndex(n)
		case *sql.CreateView:
			if query, err := d.Print(n.Query); err == nil && len(n.Columns) == 0 {
				s.Views = append(s.Views, ViewDefinition{Name: n.Name.Name.Folded(), Query: query})
			}
		case *sql.CreateTable:
			s.addTable(n, d.Grammar.Serials)
		case *sql.CreateTrigger:
			if t, ok := TriggerOf(n); ok {
				t.Named = slices.DeleteFunc(t.Named, func(name string) bool { return s.index[name] == nil })
				s.Triggers = append(s.Triggers, t)
			}
		}
	}
	for _, t := range s.Tables {
		for i := range t.Columns {
			t.Columns[i].Spelled = spelled(d, t.Columns[i].Name)
		}
	}
	return s
}

// spelled is a name as an expression has it.
func spelled(d *sql.Dialect, name string) string {
	if use, keyword := d.Keywords[strings.ToUpper(name)]; keyword && use&sql.AsColumn == 0 {
		quote := d.Lexis.Names[:1]
		return quote + name + quote
	}
	return name
}

// isOtherKey says whether a part of a definition keeps rows out otherwise than a unique key of all rows does, or says
// itself what is done.
func isOtherKey(n sql.Node) bool {
	switch n := n.(type) {
	case *sql.Exclude:
		return true
	case *sql.PrimaryKey:
		return n.Conflict != ""
	case *sql.Nullable:
		return n.Conflict != ""
	case *sql.Check:
		return n.Conflict != ""
	case *sql.Unique:
		return n.Conflict != "" || n.Nulls != ""
	case *sql.CreateIndex:
		return n.Unique && (n.Where != nil || sql.Has(n, isCollate) || slices.ContainsFunc(n.Options,
			func(o *sql.Option) bool { return strings.HasPrefix(o.Words, "NULLS") }))
	}
	return false
}

func isCollate(n sql.Node) bool {
	_, is := n.(*sql.Collate)
	return is
}

// addUnread notes a table of whose definition nothing is read but its name: what it holds is compared all the same.
func (s *Schema) addUnread(text string) {
	stmt := Read(text)
	if stmt.Creates() == "table" && stmt.Target != "" && s.index[stmt.Target] == nil {
		t := &Table{Name: stmt.Target}
		s.Tables = append(s.Tables, t)
		s.index[t.Name] = t
	}
}

func (s *Schema) addIndex(x *sql.CreateIndex) {
	t := s.index[x.Table.Name.Folded()]
	if t == nil {
		return
	}
	key, expression := keyOf(x.Columns)
	t.covers(key)
	if x.Unique {
		t.addUnique(key, expression)
	}
}

// addTable takes a table, of which columns of the types in serials count where these do.
func (s *Schema) addTable(x *sql.CreateTable, count bool) {
	name := x.Name.Name.Folded()
	switch {
	case len(x.Inherits) == 1:
		s.addHeir(name, x)
	case s.index[name] == nil && x.Of == nil:
		t := &Table{
			Name: name, Partitioned: x.Partitions != nil,
			Versioned: slices.ContainsFunc(x.Options, func(o *sql.Option) bool { return o.Words == "WITH SYSTEM VERSIONING" }),
		}
		t.define(x, count)
		s.Tables = append(s.Tables, t)
		s.index[name] = t
	}
}

// keyOf are the columns of a key, and whether one of its parts is an expression.
func keyOf(parts []*sql.Order) (key []KeyPart, expression bool) {
	for _, p := range parts {
		x := sql.Bare(p.X)
		if c, ok := x.(*sql.Collate); ok {
			x = c.X
		}
		part := KeyPart{}
		if prefix, ok := x.(*sql.Prefix); ok {
			x = prefix.X
			if l, ok := prefix.Length.(*sql.Literal); ok {
				part.Prefix, _ = strconv.Atoi(l.Text)
			}
		}
		c, ok := x.(*sql.Column)
		if !ok {
			expression = true
			continue
		}
		part.Column = c.Name.Folded()
		key = append(key, part)
	}
	return key, expression
}

// covers notes an index that holds vkey.
func (t *Table) covers(key []KeyPart) {
	t.Covered = t.Covered || slices.ContainsFunc(key, func(p KeyPart) bool { return p.Column == VKey })
}

// addUnique notes a unique key.
func (t *Table) addUnique(key []KeyPart, expression bool) {
	if expression {
		t.Unique = t.Names()
		return
	}
	t.uniques = append(t.uniques, key)
	t.decides(key)
}

// define takes the columns, keys and constraints of a definition.
func (t *Table) define(x *sql.CreateTable, count bool) {
	for _, d := range x.Columns {
		t.addColumn(d, count)
	}
	for _, c := range x.Constraints {
		t.constrain(c)
	}
	for _, p := range t.primary {
		t.Key = append(t.Key, p.Column)
		if c := t.Column(p.Column); c != nil {
			c.NotNull = true
		}
	}
	t.decides(t.primary)
	t.Covered = t.Covered || slices.Contains(t.Key, VKey) // every other index holds that key
	if len(t.Key) == 1 {                                  // a name for the row's number
		if c := t.Column(t.Key[0]); c != nil && c.integer {
			c.Counts = true
		}
	}
}

// constrain takes a constraint, or an index, of the table.
func (t *Table) constrain(c sql.Constraint) {
	switch c := c.(type) {
	case *sql.PrimaryKey:
		t.primary, _ = keyOf(c.Columns)
		t.Apart = nonclustered(c)
	case *sql.Unique:
		key, expression := keyOf(c.Columns)
		t.covers(key)
		t.addUnique(key, expression)
	case *sql.Exclude: // with = it makes columns unique
		var parts []*sql.Order
		for _, e := range c.Elements {
			parts = append(parts, e.Key)
		}
		key, expression := keyOf(parts)
		t.covers(key)
		t.addUnique(key, expression)
	case *sql.Index:
		key, _ := keyOf(c.Columns)
		t.covers(key)
	case *sql.Check:
		if modulus, rest, inherited := shareOf(c); modulus > 0 && !inherited {
			t.share.Modulus, t.share.Rest = modulus, rest
		}
	case *sql.ForeignKey:
		t.refer("", c)
	}
}

// nonclustered says whether a primary key is told that rows do not lie by it.
func nonclustered(c *sql.PrimaryKey) bool {
	return slices.ContainsFunc(c.Options, func(o *sql.Option) bool { return strings.Contains(o.Words, "NONCLUSTERED") })
}

// serials are the types of columns that count (postgresql.org/docs, Serial Types; dev.mysql.com/doc/refman, Numeric
// Data Type Syntax).
var serials = names("serial bigserial smallserial serial2 serial4 serial8")

// addColumn takes one column.
func (t *Table) addColumn(d *sql.ColumnDef, count bool) {
	c := Column{Name: d.Name.Folded()}
	if d.Type != nil {
		first, _, _ := strings.Cut(strings.ToLower(d.Type.Words), " ")
		c.Type, c.Class = typeOf(d.Type, first), ClassOf(first)
		c.integer = first == "integer" && len(d.Type.Args) == 0
		c.counts(count && serials[first])
	}
	for _, x := range d.Constraints {
		switch x := x.(type) {
		case *sql.PrimaryKey:
			t.primary = []KeyPart{{Column: c.Name}}
			t.Apart = t.Apart || nonclustered(x)
			c.counts(x.Autoincrement)
		case *sql.Unique:
			key := []KeyPart{{Column: c.Name}}
			t.covers(key)
			t.addUnique(key, false)
		case *sql.Nullable:
			c.NotNull = c.NotNull || x.Not
		case *sql.Identity:
			c.counts(true)
		case *sql.Attribute:
			c.counts(x.Words == "AUTO_INCREMENT" || x.Words == "AUTO_RANDOM")
			c.Random = c.Random || x.Words == "AUTO_RANDOM"
			c.Stamped = c.Stamped || x.Words == "ON UPDATE" && differs(x.Value)
		case *sql.Default:
			c.Made = differs(x.X)
		case *sql.Generated:
			c.Generated, c.Virtual = true, x.Kept != "STORED" && x.Kept != "PERSISTENT"
		case *sql.Collation:
			c.Collation = x.Collation.Folded()
		case *sql.ForeignKey:
			t.refer(c.Name, x)
		}
	}
	t.Columns = append(t.Columns, c)
}

// differs says whether a value is another one in another session, or at another time.
func differs(x sql.Expr) bool {
	return sql.Has(x, func(n sql.Node) bool {
		switch x := n.(type) {
		case *sql.Niladic:
			return functions.Varies(strings.ToLower(x.Word), 0, nil)
		case *sql.Call:
			var texts []string
			for _, arg := range x.Args {
				if l, ok := arg.(*sql.Literal); ok && l.Kind == sql.Text {
					texts = append(texts, l.Characters())
				}
			}
			return functions.Varies(x.Name.Folded(), len(x.Args), texts)
		}
		return false
	})
}

// counts notes that the database numbers the rows by the column, and never hands out a number again.
func (c *Column) counts(does bool) {
	if does {
		c.Counts, c.Kept, c.NotNull = true, true, true
	}
}

// typeOf names a declared type by its first word: of floating-point numbers those with so many digits are told apart,
// and arrays.
func typeOf(t *sql.Type, first string) string {
	switch words := t.Words + " " + t.After; {
	case strings.Contains(words, "[") || strings.Contains(strings.ToUpper(words), " ARRAY"):
		return first + "["
	case len(t.Args) > 0 && ClassOf(first) == Floating:
		return first + "("
	}
	return first
}

// refer takes a foreign key; column is the one that is defined, "" in a constraint of the table.
func (t *Table) refer(column string, x *sql.ForeignKey) {
	r := Reference{
		Parent: x.Table.Name.Folded(), Deferred: isDeferred(x.Deferrable),
		Full: x.Match.Folded() == "full", OnDelete: actionOf(x.OnDelete), OnUpdate: actionOf(x.OnUpdate),
	}
	if column != "" {
		r.Columns = []string{column}
	}
	for _, name := range x.Columns {
		r.Columns = append(r.Columns, name.Folded())
	}
	for _, name := range x.Keys {
		r.Keys = append(r.Keys, name.Folded())
	}
	if len(r.Columns) == 1 {
		r.Column = r.Columns[0]
	}
	if len(r.Keys) == 1 {
		r.Key = r.Keys[0]
	}
	for _, action := range []string{x.OnDelete, x.OnUpdate} {
		changes := action == "CASCADE" || strings.HasPrefix(action, "SET")
		r.Acts = r.Acts || changes || action == "RESTRICT"
		if changes && !slices.Contains(t.Cascades, r.Parent) {
			t.Cascades = append(t.Cascades, r.Parent)
		}
	}
	t.Parents = append(t.Parents, r.Parent)
	t.References = append(t.References, r)
}

// actionOf is what a foreign key does with rows that refer to one which goes, where it changes them as that is known
// here.
func actionOf(action string) string {
	if action == "CASCADE" || action == "SET NULL" {
		return strings.ToLower(action)
	}
	return ""
}

// addHeir notes a table that inherits, and with the first one of a table that table itself.
func (s *Schema) addHeir(name string, x *sql.CreateTable) {
	of := s.index[x.Inherits[0].Name.Folded()]
	if of == nil || s.Heir(name) != nil {
		return
	}
	if s.Heir(of.Name) == nil {
		own := Heir{Name: of.Name, Of: of.Name, Modulus: of.share.Modulus, Rest: of.share.Rest}
		s.Heirs = append(s.Heirs, own)
		of.Partitioned = true
	}
	h := Heir{Name: name, Of: of.Name}
	for _, d := range x.Columns {
		h.Extra = d.Name.Value
	}
	for _, c := range x.Constraints {
		switch c := c.(type) {
		case *sql.Check:
			if modulus, rest, inherited := shareOf(c); modulus > 0 && inherited && h.Modulus == 0 {
				h.Modulus, h.Rest = modulus, rest
				continue
			}
		case *sql.PrimaryKey:
			if key, _ := keyOf(c.Columns); len(key) == 1 && key[0].Column == PKey {
				h.Keyed = true
				continue
			}
		}
		h.Extra = sql.Tell(c)
	}
	s.Heirs = append(s.Heirs, h)
}

// shareOf reads CHECK (pkey % modulus = rest), and whether those that inherit have it, too: not with NO INHERIT.
// modulus is 0 for anything else.
func shareOf(c *sql.Check) (modulus, rest int, inherited bool) {
	equals, ok := c.X.(*sql.Binary)
	if !ok || equals.Op != sql.OpEq {
		return 0, 0, false
	}
	mod, ok := equals.Left.(*sql.Binary)
	if !ok || mod.Op != sql.OpMod {
		return 0, 0, false
	}
	col, ok := mod.Left.(*sql.Column)
	by, divides := mod.Right.(*sql.Literal)
	left, leaves := equals.Right.(*sql.Literal)
	if !ok || !divides || !leaves || col.Table != nil || col.Name.Folded() != PKey {
		return 0, 0, false
	}
	modulus, err := strconv.Atoi(by.Text)
	rest, bad := strconv.Atoi(left.Text)
	if err != nil || bad != nil || modulus < 1 || c.Enforced != "" && c.Enforced != "NO INHERIT" {
		return 0, 0, false
	}
	return modulus, rest, c.Enforced == ""
}
