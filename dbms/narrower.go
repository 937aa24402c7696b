package dbms

import (
	"slices"
	"strings"
)

// switches is the variable of MariaDB and MySQL that holds a list of settings.
const switches = "optimizer_switch"

// Narrower are the settings of which this one is made, each by itself and under a name of its own,
// "no-rewrites/semijoin": which of them a difference needs tells a developer where to look. None where it sets one
// thing, or does more than to set variables.
func (p *PlanSetting) Narrower() []PlanSetting {
	if p.Opaque && p.Unquantified {
		return []PlanSetting{
			{Name: p.Name + "/conditions", Opaque: true, Dialect: p.Dialect}, {Name: p.Name + "/exists", Unquantified: true,
				Dialect: p.Dialect}}
	}
	if p.Each != "" || p.Copies != nil || p.Opaque || p.Prepared || !p.Replans() || len(p.Set) != len(p.Unset) {
		return nil
	}
	var out []PlanSetting
	for i, sql := range p.Set {
		assignment, ok := cutAssignment(sql)
		if !ok {
			return nil
		}
		variable, value, _ := strings.Cut(assignment, " = ")
		if variable != switches {
			out = append(out, PlanSetting{Name: p.Name + "/" + variable, Set: []string{sql}, Unset: []string{p.Unset[i]}})
			continue
		}
		for one := range strings.SplitSeq(strings.Trim(value, "'"), ",") {
			name, _, _ := strings.Cut(one, "=")
			out = append(out, PlanSetting{Name: p.Name + "/" + name, Set: []string{"SET SESSION " + switches + " = '" + one +
				"'"}, Unset: []string{p.Unset[i]}})
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// cutAssignment returns what a SET statement of the session sets.
func cutAssignment(sql string) (string, bool) {
	if rest, ok := strings.CutPrefix(sql, "SET SESSION "); ok {
		return rest, true
	}
	return strings.CutPrefix(sql, "SET ")
}

// narrower finds one of the settings of which another one is made by its name.
func (p *Profile) narrower(name string) *PlanSetting {
	whole, _, part := strings.Cut(name, "/")
	if !part {
		return nil
	}
	i := slices.IndexFunc(p.Variants.Plans, func(s PlanSetting) bool { return s.Name == whole })
	if i < 0 {
		return nil
	}
	all := p.Variants.Plans[i].Narrower()
	if at := slices.IndexFunc(all, func(s PlanSetting) bool { return s.Name == name }); at >= 0 {
		return &all[at]
	}
	return nil
}
