package finding

import (
	"slices"
	"strings"

	"txweave/testcase"
)

// The header fields of a case that say what its finding was made under, beside target and level.
const (
	claimField   = "claim"
	plantedField = "planted"
)

// Mark notes in a case's text what its finding was made under, so that whoever runs it again runs it under the same.
// What is no case stays as it is.
func Mark(text []byte, env *Environment) []byte {
	if env.Claim == "" && len(env.Planted) == 0 {
		return text
	}
	c, err := testcase.Parse(CaseFile, text)
	if err != nil {
		return text
	}
	c.Options = slices.DeleteFunc(c.Options, func(o testcase.Option) bool {
		return o.Key == claimField || o.Key == plantedField
	})
	if env.Claim != "" {
		c.Options = append(c.Options, testcase.Option{Key: claimField, Value: env.Claim})
	}
	if len(env.Planted) > 0 {
		c.Options = append(c.Options, testcase.Option{Key: plantedField, Value: strings.Join(env.Planted, ",")})
	}
	return c.Print()
}

// Marks returns what Mark has noted in a case: the level that it was held to, and the planted bugs.
func Marks(c *testcase.Case) (claim string, planted []string) {
	for _, o := range c.Options {
		switch o.Key {
		case claimField:
			claim = o.Value
		case plantedField:
			planted = strings.Split(o.Value, ",")
		}
	}
	return claim, planted
}

// PlantedNote says of a finding with planted bugs that it is one; "" of a real one.
func (e *Environment) PlantedNote() string {
	if len(e.Planted) == 0 {
		return ""
	}
	return "PLANTED: txweave itself put a bug (" + strings.Join(e.Planted, ", ") +
		") between it and the database. This says nothing of the database."
}
