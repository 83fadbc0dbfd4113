package api

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// notations returns random notations of a whole number in JSON that are not too long.
func notations(r *rand.Rand, n int64) []string {
	sign, digits := "", strconv.FormatInt(n, 10)
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	}
	e := string("eE"[r.IntN(2)])
	zeros := r.IntN(20)
	texts := []string{
		sign + digits,
		sign + digits + "." + strings.Repeat("0", 1+zeros),
		sign + digits + e + "0",
		sign + digits + e + "-0",
		fmt.Sprintf("%s0.%s%s%s+%d", sign, strings.Repeat("0", zeros), digits, e, zeros+len(digits)),
		fmt.Sprintf("%s%s.%s%s%d", sign, digits[:1], digits[1:]+"0", e, len(digits)-1),
	}
	if short := strings.TrimRight(digits, "0"); n != 0 {
		texts = append(texts, fmt.Sprintf("%s%s%s%d", sign, short, e, len(digits)-len(short)),
			fmt.Sprintf("%s%s%s%s-%d", sign, digits, strings.Repeat("0", zeros), e, zeros))
	}
	return texts
}

// TestWholeNumbersInAnyNotation checks that a whole number is decoded to the same value from each of its notations, up to 2^53
// exactly, and that values of any kind keep their bytes.
func TestWholeNumbersInAnyNotation(t *testing.T) {
	t.Parallel()
	type body struct {
		One  int             `json:"one,omitzero"`
		Many map[string]int  `json:"many,omitzero"`
		Null Optional[int]   `json:"null,omitzero" null:"true"`
		Any  json.RawMessage `json:"any,omitzero"`
		List []int           `json:"list,omitzero"`
	}
	schema := schemaFor[body]()
	r := rand.New(rand.NewPCG(1, 2))
	numbers := []int64{0, 1, -1, 10, 100, maxWhole, -maxWhole, maxWhole - 1, 9007199254740990}
	for range 300 {
		n := r.Int64N(maxWhole + 1)
		numbers = append(numbers, n>>r.IntN(53), -n)
	}
	for _, n := range numbers {
		for _, text := range notations(r, n) {
			if got, ok := ParseWhole(text); !ok || got != n {
				t.Errorf("ParseWhole(%s) = %d, %v, want %d", text, got, ok, n)
			}
			sent := fmt.Sprintf(`{ "one" : %s ,"many":{"a":%s},"null":%s,"any":{"x":%s},"list":[7,%s , 8]} `, text, text, text, text, text)
			normal, err := Check([]byte(sent), schema, DefaultLimits(), nil, nil)
			var got body
			if err == nil {
				err = json.Unmarshal(normal, &got)
			}
			null, _ := got.Null.Get()
			if err != nil || got.One != int(n) || got.Many["a"] != int(n) || null != int(n) || got.List[1] != int(n) || got.List[2] != 8 {
				t.Errorf("%s: %+v, %v", sent, got, err)
			}
			if want := `{"x":` + text + `}`; string(got.Any) != want {
				t.Errorf("any value %s, want %s", got.Any, want)
			}
		}
	}
}

// TestNumbersThatAreNotWhole checks that other numbers are refused where an integer is wanted, however large their exponents are.
func TestNumbersThatAreNotWhole(t *testing.T) {
	t.Parallel()
	schema := &Schema{Kind: KindInteger}
	for _, text := range []string{
		"1.5", "1e-1", "15e-1", "0.1", "9007199254740993", "-9007199254740993", "9007199254740992.5", "9007199254740992.00001", "1e16",
		"1e999999999", "-1e99999999999999999999", "1e-999999999", "1e-99999999999999999999", "0.00000000000000000000000000001e99",
		"9223372036854775808", "1" + strings.Repeat("0", maxNumberText), "1." + strings.Repeat("0", maxNumberText),
		"", "-", "+1", "01", ".5", "1.", "1e", "0x10", "Inf", "NaN", "1_000", " 1", "1\n",
	} {
		if wrong := CheckText("n", text, schema, DefaultLimits()); len(wrong) != 1 {
			t.Errorf("%q: %v", text, wrong)
		}
	}
	for _, text := range []string{"-0", "0e999999999999999999999", "-0.0e-5", "0.000"} {
		if n, ok := ParseWhole(text); !ok || n != 0 {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
	minimum, maximum := -2, 2
	for text, allowed := range map[string]bool{"2.0": true, "20e-1": true, "-2e0": true, "3.0": false, "-30e-1": false} {
		wrong := CheckText("n", text, &Schema{Kind: KindInteger, Min: &minimum, Max: &maximum}, DefaultLimits())
		if (len(wrong) == 0) != allowed {
			t.Errorf("%s within -2 to 2: %v", text, wrong)
		}
	}
}
