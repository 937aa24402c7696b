package history

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// awkwardTexts are what an encoder is most likely to change.
var awkwardTexts = []string{
	"", "a", "it's", `back\slash`, "null", "1", "1.0", "NaN", `{"float":"NaN"}`, `{"bytes":"AA=="}`, "<&>\u2028",
	"\x00", "\ufffd",
	"\xff", "a\x80b", "\xed\xa0\x80", "line\nline",
}

func textGen() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(awkwardTexts),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }),
	)
}

// floatGen draws every bit pattern but the NaNs that no text form tells from each other.
func floatGen() *rapid.Generator[float64] {
	return rapid.Map(rapid.OneOf(
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 100, 1e21, 1 << 53, 1<<53 + 2, 0.1, math.MaxFloat64,
			math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxInt64}),
		rapid.Map(rapid.Uint64(), math.Float64frombits),
	), func(f float64) float64 {
		if math.IsNaN(f) {
			return math.NaN()
		}
		return f
	})
}

func intGen() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.SampledFrom([]int64{0, -1, math.MaxInt64, math.MinInt64, 1<<53 + 1}), rapid.Int64())
}

func valueGen() *rapid.Generator[Value] {
	return rapid.OneOf(
		rapid.Just(Value{}),
		rapid.Map(intGen(), IntValue),
		rapid.Map(floatGen(), FloatValue),
		rapid.Map(rapid.String(), BlobValue),
		rapid.Map(textGen(), TextValue),
	)
}

func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := valueGen().Draw(t, "value")
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back Value
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if back != v {
			t.Fatalf("%#v was written as %s and read as %#v", v, text, back)
		}
	})
}

// TestValueStringIsUnique: replay compares rows by what String prints, so two values may print alike only if
// they are one.
func TestValueStringIsUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := valueGen().Draw(t, "a"), valueGen().Draw(t, "b")
		if (a.String() == b.String()) != (a == b) {
			t.Fatalf("%#v prints %s, %#v prints %s", a, a, b, b)
		}
	})
}

func TestValueForms(t *testing.T) {
	for _, c := range []struct {
		v            Value
		json, string string
	}{
		{Value{}, `null`, `NULL`},
		{IntValue(math.MinInt64), `-9223372036854775808`, `-9223372036854775808`},
		{IntValue(1<<53 + 1), `9007199254740993`, `9007199254740993`}, // not a float64
		{FloatValue(3), `3.0`, `3.0`},                                 // never an integer
		{FloatValue(math.Copysign(0, -1)), `-0.0`, `-0.0`},
		{FloatValue(1e21), `1e+21`, `1e+21`},
		{BlobValue("a\x00"), `{"blob":"YQA="}`, `x'6100'`},
		{BlobValue(""), `{"blob":""}`, `x''`},
		{FloatValue(math.NaN()), `{"float":"NaN"}`, `NaN`},
		{FloatValue(math.Inf(-1)), `{"float":"-Inf"}`, `-Inf`},
		{TextValue("it's"), `"it's"`, `'it''s'`},
		{TextValue("\xff"), `{"bytes":"/w=="}`, "'\xff'"},
		{TextValue("18446744073709551615"), `"18446744073709551615"`, `'18446744073709551615'`},
	} {
		text, err := json.Marshal(c.v)
		if err != nil || string(text) != c.json {
			t.Errorf("%#v is written as %s (%v), want %s", c.v, text, err, c.json)
		}
		if c.v.String() != c.string {
			t.Errorf("%#v prints %s, want %s", c.v, c.v, c.string)
		}
	}
}

func TestValueRefusesWhatItDoesNotWrite(t *testing.T) {
	for _, text := range []string{`true`, `[1]`, `9223372036854775808`, `{"float":"many"}`, `{"bytes":"?"}`} {
		var v Value
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s was read as %#v", text, v)
		}
	}
}

func TestInt64(t *testing.T) {
	for _, c := range []struct {
		v  Value
		n  int64
		ok bool
	}{
		{IntValue(7), 7, true},
		{TextValue("-7"), -7, true}, // integers of a text protocol
		{TextValue("7.0"), 0, false},
		{TextValue("9223372036854775808"), 0, false},
		{FloatValue(7), 0, false},
		{Value{}, 0, false},
	} {
		n, ok := c.v.Int64()
		if ok != c.ok || ok && n != c.n {
			t.Errorf("%s as an integer: %d, %v; want %d, %v", c.v, n, ok, c.n, c.ok)
		}
	}
}

func TestRowsRefusesRaggedRows(t *testing.T) {
	var r Rows
	err := json.Unmarshal([]byte(`{"columns":["a","b"],"rows":[[1,2],[3]]}`), &r)
	if err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("a row that is too short gives %v", err)
	}
}
