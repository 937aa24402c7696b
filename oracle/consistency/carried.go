package consistency

import (
	"fmt"
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// carried compares what a write does to rows of other tables with the actions of their foreign keys: who refers to a
// row that went is gone, or refers to none, and who refers to one whose key is another now has that key, or refers to
// none. No replay tells an action that is wrong with and without transactions alike, and the rows agree with each
// other. It is asked of databases with one writer at a time, where what a statement wrote is the difference of what was
// there before and after it.
func (j *judge) carried(s *observe.ObservedStmt) {
	if len(s.Carrying) == 0 || s.Kind != sqltext.Update && s.Kind != sqltext.Delete || s.Replaces || s.Waited || s.Mixed ||
		s.Bad != nil || j.o.Content == nil ||
		j.promise(s).Order != dbms.OneWriterAtOnce {
		return
	}
	if s.Err != nil {
		j.refusedCarrying(s)
		return
	}
	if len(s.Unsure) > 0 {
		return
	}
	for i := range s.Carrying {
		c := &s.Carrying[i]
		after, known := j.keysAfter(s, c)
		if !known {
			continue
		}
		for _, w := range s.Writes {
			if w.Table == c.Table && !w.From.Absent() {
				j.carriedRow(s, c, w, after)
			}
		}
	}
}

// carriedRow is carried for a row that referred to another one; after are the keys that those have now, by the ones
// that they had.
func (j *judge) carriedRow(s *observe.ObservedStmt, c *observe.Carrying, w history.Write, after map[string]string) {
	was, there := j.held(w.Item, w.From, c.Reference.Column)
	key, written := after[was]
	if !there || !written {
		return
	}
	is := gone
	if !w.To.Absent() {
		if is, there = j.held(w.Item, w.To, c.Reference.Column); !there {
			return
		}
	}
	if want := wanted(c, key); want != "" && is != want {
		j.odd(s, fault.Carried,
			"%v referred to %v, which is %v now, and the foreign key's action leaves %v; it should leave %v",
			history.Item{Table: c.Table, PKey: w.PKey}, was, key, is, want)
	}
}

// gone stands for the key of a row that is there no more, nobody is what refers to none.
const gone, nobody = "no row", "NULL"

// wanted is what an action leaves in the column of a row which referred to a key that is another now; "" where that is
// not certain.
func wanted(c *observe.Carrying, key string) string {
	action := c.Reference.OnUpdate
	if key == gone {
		action = c.Reference.OnDelete
	}
	switch {
	case action == "set null":
		return nobody
	case action == "cascade" && key == gone:
		return gone
	case action == "cascade" && c.Alike:
		return key
	}
	return ""
}

// keysAfter are the keys that a write took from rows, with those that it gave them; false where they are not known, or
// one was given that another row had.
func (j *judge) keysAfter(s *observe.ObservedStmt, c *observe.Carrying) (map[string]string, bool) {
	out := map[string]string{}
	var given []string
	for _, w := range s.Writes {
		if w.Table != s.Target {
			continue
		}
		is, was := gone, gone
		known := true
		if !w.From.Absent() {
			was, known = j.keyHeld(w.Item, w.From, c)
		}
		if !w.To.Absent() && known {
			is, known = j.keyHeld(w.Item, w.To, c)
		}
		switch {
		case !known:
			return nil, false
		case is == was, was == nobody:
			continue
		case was != gone:
			out[was] = is
		}
		if is != gone {
			given = append(given, is)
		}
	}
	return out, !slices.ContainsFunc(given, func(key string) bool { _, taken := out[key]; return taken })
}

// keyHeld is the key that a version of a row is referred to by.
func (j *judge) keyHeld(item history.Item, v history.State, c *observe.Carrying) (string, bool) {
	if c.KeyIsPKey {
		return fmt.Sprint(item.PKey), true
	}
	return j.held(item, v, c.Reference.Key)
}

// held is what a version of a row holds in a column.
func (j *judge) held(item history.Item, v history.State, column string) (string, bool) {
	value, there := j.o.Content(history.Version{Item: item, VKey: int64(v)})[column]
	return value, there
}

// refusedCarrying finds a write that is refused for a foreign key though each of those which refer to its table has an
// action for what it does: a row that follows another refers to it, or to none, and nobody refers to it. A key that is
// converted on its way into a column of another type may be none that the table has.
func (j *judge) refusedCarrying(s *observe.ObservedStmt) {
	for _, c := range s.Carrying {
		action := c.Reference.OnUpdate
		if s.Kind == sqltext.Delete {
			action = c.Reference.OnDelete
		}
		converted := s.Kind == sqltext.Update && action == "cascade" && !c.Alike
		if c.Beyond || converted || action != "cascade" && action != "set null" {
			return
		}
	}
	if slices.Contains(j.promise(s).Errors.ForeignKey, s.Err.Code) {
		j.odd(s, fault.RefusedCarried,
			"it is refused with %v, and each foreign key to %v has an action that takes its rows along", s.Err, s.Target)
	}
}
