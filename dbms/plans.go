package dbms

import "slices"

// PlanSetting is a way to have the same statements executed by other means: without secondary indexes, by other algorithms of the
// optimizer, over another protocol. No answer may depend on it but in what SQL leaves open.
type PlanSetting struct {
	Name string // as a case's header names it
	// Set are statements for the session before the case's own, Unset those that undo them. A database that refuses one of Set has
	// no such setting.
	Set, Unset []string
	// Each is a query whose rows are statements that are sent first, each as far as the database takes it. They change how tables
	// are kept: these are made anew afterwards. "": none.
	Each string
	// Prepared says that statements are prepared and executed, and queries executed twice, over the binary protocol.
	Prepared bool
}

// Explain is how a DBMS says what it would do for a query. A zero Explain says that it is not asked.
type Explain struct {
	Before string // what stands before the query
	// Columns are those of the answer that tell one plan from another, in lower case: estimates are none.
	Columns []string
}

// PlanSetting returns a setting by its name; nil where the database has none of that name.
func (p *Profile) PlanSetting(name string) *PlanSetting {
	if i := slices.IndexFunc(p.Plans, func(s PlanSetting) bool { return s.Name == name }); i >= 0 {
		return &p.Plans[i]
	}
	return nil
}
