package finding

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"txweave/history"
)

// Side is what one of two executions gave, as far as it differs from the other. The zero value is of a difference that
// has nothing to put side by side.
type Side struct {
	Affected *int64            `json:"affected,omitempty"` // rows
	Rows     *SideRows         `json:"rows,omitempty"`
	State    *history.State    `json:"state,omitempty"` // of a row
	Err      *history.DBError  `json:"error,omitempty"`
	NoError  bool              `json:"no_error,omitempty"` // it was not refused, and the other one was
	Warnings []history.Warning `json:"warnings,omitempty"`
	NoAnswer bool              `json:"no_answer,omitempty"` // it did not end …
	Waited   bool              `json:"waited,omitempty"`    // … or waited in vain for a lock
	Took     time.Duration     `json:"took_ns,omitempty"`
	Said     string            `json:"said,omitempty"` // what the database complains of
	Text     string            `json:"text,omitempty"` // of files of before
}

// maxShown is how many rows of each side a difference shows.
const maxShown = 20

// SideRows are the rows of an answer that the other answer has not, or all of them where only their order differs.
type SideRows struct {
	Total int      `json:"total"` // of the answer
	All   bool     `json:"all,omitempty"`
	Shown []string `json:"shown"` // as clients print them, maxShown at most …
	More  int      `json:"more,omitempty"`
}

// SideOf returns rows to be shown of an answer that has so many in all.
func SideOf(rows []string, total int, all bool) Side {
	r := &SideRows{Total: total, All: all, Shown: rows}
	if len(rows) > maxShown {
		r.Shown, r.More = rows[:maxShown], len(rows)-maxShown
	}
	return Side{Rows: r}
}

// Affected is a number of rows that a statement affected, or that were found.
func Affected(n int64) Side { return Side{Affected: &n} }

// State is what was seen, or overwritten, of a row.
func State(s history.State) Side { return Side{State: &s} }

// Answered is the error of a statement, or that it had none.
func Answered(err *history.DBError) Side {
	if err == nil {
		return Side{NoError: true}
	}
	return Side{Err: err}
}

// IsZero says whether there is nothing to show.
func (v Side) IsZero() bool { return v.String() == "" }

// String prints the value for people.
func (v Side) String() string {
	switch {
	case v.Rows != nil:
		return v.Rows.String()
	case v.Err != nil:
		return v.Err.String()
	case v.NoError:
		return "no error"
	case v.Affected != nil:
		return fmt.Sprint(*v.Affected)
	case v.State != nil:
		return v.State.Seen()
	case len(v.Warnings) > 0:
		return printWarnings(v.Warnings)
	case v.Waited && v.Took > 0:
		return "it waited in vain for a lock, " + v.Took.String()
	case v.Waited:
		return "it waited in vain for a lock"
	case v.NoAnswer:
		return "no answer"
	case v.Took > 0:
		return "an answer in " + v.Took.String()
	}
	return v.Said + v.Text
}

// Code is the number of the error; 0 where there is none.
func (v Side) Code() int {
	if v.Err == nil {
		return 0
	}
	return v.Err.Code
}

// Count is a number of rows in words.
func (v Side) Count() string {
	switch {
	case v.Affected == nil:
		return v.String()
	case *v.Affected == 0:
		return "no row"
	}
	return Count(int(*v.Affected), "row")
}

// UnmarshalJSON reads a value, or the text that files of before have.
func (v *Side) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &v.Text)
	}
	type plain Side
	return json.Unmarshal(data, (*plain)(v))
}

// String prints the rows on one line.
func (r *SideRows) String() string {
	label, more := "only here", ""
	if r.All {
		label = "all"
	}
	if r.More > 0 {
		more = fmt.Sprintf(" … and %d more", r.More)
	}
	return fmt.Sprintf("%s, %s: %s%s", Count(r.Total, "row"), label, strings.Join(r.Shown, " "), more)
}
