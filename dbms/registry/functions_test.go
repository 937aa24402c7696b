package registry

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"txweave/sql/functions"
	"txweave/sql/sqltext"
)

// texts calls visit with every text within a value, those of fields that are not exported too.
func texts(v reflect.Value, visit func(string)) {
	switch v.Kind() {
	case reflect.String:
		visit(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			texts(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			texts(v.Field(i), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			texts(v.Index(i), visit)
		}
	}
}

// TestGeneratedFunctionsAreKnown: what the generator's dialects call in their functions is in the catalogue, and
// harmless.
func TestGeneratedFunctionsAreKnown(t *testing.T) {
	words := strings.Fields("and as case in values varchar char decimal signed binary float4 numeric or then when")
	for _, d := range all {
		count := 0
		texts(reflect.ValueOf(d.Dialect.ExprForms.Functions), func(template string) {
			tokens := d.Syntax.Quoting.Read(template).Tokens
			for i, token := range tokens[:max(len(tokens)-1, 0)] {
				name := strings.ToLower(token.Text)
				if token.Kind != sqltext.Word || tokens[i+1].Text != "(" || slices.Contains(words, name) {
					continue
				}
				count++
				if f, known := d.Syntax.Functions.Has(name); !known || f.Effect != functions.Plain {
					t.Errorf("%s: %s in %q is not known to be harmless", d.Name, name, template)
				}
			}
		})
		if count == 0 {
			t.Errorf("%s: no function is called", d.Name)
		}
	}
}
