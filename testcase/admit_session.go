package testcase

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tree "txweave/sql"
	"txweave/sql/sqltext"
)

// setSession judges a setting of a session: one that is known to change how statements are carried out, and neither
// what their texts say nor anything beyond the session.
func (a *admission) setSession(text string) error {
	a.setting = true
	_, err := a.read(text)
	if a.setting = false; err != nil {
		return err
	}
	stmt, err := a.x.Tree.Parse(text)
	if err != nil {
		return err
	}
	switch s := stmt.(type) {
	case *tree.Pragma:
		if s.Value == nil || s.Name.Schema != nil {
			return errors.New("a setting is PRAGMA name = value")
		}
		return a.knownSetting(s.Name.Name.Folded(), s.Value)
	case *tree.Set:
		for _, one := range s.Settings {
			name, ok := settingName(one)
			if !ok {
				return errors.New("a setting of a session is SET [SESSION] name = value")
			}
			if err := a.knownSetting(name, append([]tree.Expr{one.Value}, one.More...)...); err != nil {
				return err
			}
		}
		return nil
	}
	return errors.New("a setting is SET or PRAGMA")
}

// knownSetting refuses a setting that is not in the database's list, and values that it must not have.
func (a *admission) knownSetting(name string, values ...tree.Expr) error {
	if !slices.ContainsFunc(a.x.Settings, func(s string) bool {
		prefix, open := strings.CutSuffix(s, "*")
		return name == s || open && strings.HasPrefix(name, prefix)
	}) {
		return fmt.Errorf("the setting %s is not known to change how statements are carried out, and no more", name)
	}
	for _, v := range values {
		if err := a.settingValue(name, v); err != nil {
			return err
		}
	}
	return nil
}

// settingName is what a setting of the session is called, in lower case.
func settingName(s *tree.Setting) (name string, ok bool) {
	if s.Scope != "" && s.Scope != "SESSION" && s.Scope != "LOCAL" {
		return "", false
	}
	switch t := s.Target.(type) {
	case *tree.Column:
		if t.Table == nil && t.Schema == nil {
			return t.Name.Folded(), true
		}
	case *tree.Variable:
		name, system := strings.CutPrefix(strings.ToLower(t.Text), "@@")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "session."), "local.")
		return name, system && !strings.ContainsAny(name, ".@`")
	}
	return "", false
}

// settingValue refuses what is more than a value, or than those of the words of a list that the setting may have.
func (a *admission) settingValue(name string, v tree.Expr) error {
	word := ""
	switch v := v.(type) {
	case *tree.DefaultValue:
		return nil
	case *tree.Literal:
		word = v.Characters()
	case *tree.Column:
		if v.Table != nil {
			return errors.New("the value of a setting is a literal or a word")
		}
		word = v.Name.Value
	case *tree.Unary:
		l, ok := v.X.(*tree.Literal)
		if v.Op != tree.OpSub || !ok || l.Kind != tree.Number {
			return errors.New("the value of a setting is a literal or a word")
		}
		word = l.Text
	default:
		return errors.New("the value of a setting is a literal or a word")
	}
	if tooLarge(word) {
		return fmt.Errorf("%s is more than a gibibyte, or a billion", quote(word))
	}
	words := a.x.SettingWords[name]
	for _, w := range strings.Split(word, ",") {
		if w = strings.ToUpper(strings.TrimSpace(w)); len(words) > 0 && w != "" && !slices.Contains(words, w) {
			return fmt.Errorf("%s of the setting %s is not known to leave alone how statements are read, and what they print",
				quote(w), name)
		}
	}
	return nil
}

// tooLarge says whether a value is a number above 2^30, or a size above that of bytes, with its unit.
func tooLarge(word string) bool {
	digits := strings.TrimRight(strings.ToLower(word), " kmgtb")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return false
	}
	switch unit := strings.TrimSpace(strings.ToLower(word)[len(digits):]); unit {
	case "kb":
		n *= 1 << 10
	case "mb":
		n *= 1 << 20
	case "gb":
		n *= 1 << 30
	case "tb":
		n *= 1 << 40
	}
	return n > 1<<30
}

// AdmitsSetting says whether a case may set a session so.
func AdmitsSetting(x *sqltext.Syntax, text string) bool {
	a := admission{x: x, tables: map[string]bool{}, calls: calls{of: x.Functions,
		hints: x.Hints, settings: x.Admission.HintSettings}}
	return a.setSession(text) == nil
}
