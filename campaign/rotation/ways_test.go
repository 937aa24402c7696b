package rotation

import (
	"reflect"
	"testing"
)

// TestEveryTextOfAPlanIsAWayOrOnlyAName: whoever gives a plan another text says whether anything is executed, read or
// connected to by it.
func TestEveryTextOfAPlanIsAWayOrOnlyAName(t *testing.T) {
	names := map[string]bool{ // they choose among what txweave has itself, or are numbers
		"Part.Name": true, "Part.Target": true, "Part.Isolation": true, "Part.Claim": true, "Part.Mode": true,
		"Part.Without": true, "Part.Inject": true,
		"Part.Guide": true, "Part.Workload": true, "Part.Distribution": true, "Part.Nemesis": true, "Notify.On": true,
		"CampaignPlan.HTTP": true, // one that other machines reach needs a token of the command line's
	}
	for _, kind := range []reflect.Type{reflect.TypeFor[Part](), reflect.TypeFor[Notify](),
		reflect.TypeFor[CampaignPlan]()} {
		for i := range kind.NumField() {
			field := kind.Field(i)
			one := reflect.New(kind).Elem()
			switch value := one.Field(i); field.Type {
			case reflect.TypeFor[string]():
				value.SetString("x")
			case reflect.TypeFor[[]string]():
				value.Set(reflect.ValueOf([]string{"x"}))
			default:
				continue
			}
			plan := &CampaignPlan{}
			switch v := one.Addr().Interface().(type) {
			case *Part:
				plan.Parts = []Part{*v}
			case *Notify:
				plan.Notify = v
			case *CampaignPlan:
				plan = v
			}
			name := kind.Name() + "." + field.Name
			if ways := plan.Ways(); len(ways) == 1 == names[name] {
				t.Errorf("%s: ways %v, only a name: %v", name, ways, names[name])
			}
		}
	}
}
