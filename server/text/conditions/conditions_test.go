package conditions

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

const claimsText = `{"plan": "pro", "beta": true, "off": false, "seats": 3, "roles": ["guest", "dev"], "unsigned": {"dark": true}, "a b": "x\"y"}`

func decode(t testing.TB, text string) map[string]any {
	t.Helper()
	var claims map[string]any
	if err := json.Unmarshal([]byte(text), &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestConditions(t *testing.T) {
	t.Parallel()
	claims := decode(t, claimsText)
	for text, want := range map[string]bool{
		`visitor.claims.plan == "pro"`:                           true,
		`visitor.claims.plan === 'pro'`:                          true,
		`visitor.claims.plan != "pro"`:                           false,
		`visitor.claims.plan !== "free"`:                         true,
		`visitor.claims.beta`:                                    true,
		`!visitor.claims.beta`:                                   false,
		`!!visitor.claims.beta`:                                  true,
		`!visitor.claims.off && visitor.claims.seats == 3`:       true,
		`visitor.claims.seats == 3.0`:                            true,
		`visitor.claims.seats == "3"`:                            false,
		`visitor.claims.seats == -3`:                             false,
		`visitor.claims.off || visitor.claims.roles[1] == "dev"`: true,
		`visitor.claims.off && visitor.claims.missing`:           false,
		`visitor.claims.beta || visitor.claims.missing`:          true,
		`visitor.claims["a b"] == "x\"y"`:                        true,
		`visitor.claims.unsigned.dark`:                           true,
		`visitor . claims . unsigned [ 'dark' ]`:                 true,
		`(visitor.claims.plan == "pro") == visitor.claims.beta`:  true,
		`visitor.claims.off && true || visitor.claims.beta`:      true,
		`visitor.claims.off && (true || visitor.claims.beta)`:    false,
		`true`:                                                      true,
		`visitor.claims.missing`:                                    false,
		`!visitor.claims.missing`:                                   false,
		`visitor.claims.missing != "x"`:                             false,
		`visitor.claims.missing.deeper == "x"`:                      false,
		`visitor.claims.plan.deeper == "x"`:                         false,
		`visitor.claims.roles[2] == "x"`:                            false,
		`visitor.claims.roles == "guest"`:                           false,
		`visitor.claims.plan[0] == "p"`:                             false,
		`visitor.claims.plan`:                                       false,
		`!visitor.claims.plan`:                                      false,
		`visitor.claims.missing || visitor.claims.beta`:             false,
		`visitor.claims.plan == "pro" && visitor.claims.seats == 4`: false,
	} {
		c, err := ParseCondition(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.Holds(claims); got != want {
			t.Errorf("%s is %t", text, got)
		}
		if text != "true" && c.Holds(nil) {
			t.Errorf("%s holds for a visitor without claims", text)
		}
	}
}

func TestParseConditionRejectsInvalidSyntax(t *testing.T) {
	t.Parallel()
	for text, offset := range map[string]int{
		``: 0, `  `: 2, `visitor`: 0, `visitor.claims`: 0, `visitor.name.x`: 0, `claims.x`: 0, `visitor.claims.`: 15,
		`visitor.claims.x ==`:    19,
		`visitor.claims.x = "y"`: 17, `visitor.claims.x == "y`: 20, `visitor.claims.x == y`: 20, `(visitor.claims.x`: 17,
		`visitor.claims.x)`:          16,
		`visitor.claims.x == 1 == 2`: 21, `visitor.claims[x]`: 15, `visitor.claims[1`: 16, `visitor.claims.x & true`: 17, `1.2.3`: 0,
		`"\q"`: 1, `"\`: 1,
		`visitor.claims[99999999999999999999]`: 15, "visitor.claims.x == \x00": 20, `ä`: 0, `system.exit(1)`: 0,
		strings.Repeat("(", 40) + "true": 33, strings.Repeat("!", 40) + "true": 33, strings.Repeat(" ", 5000) + "true": maxConditionBytes,
	} {
		_, err := ParseCondition(text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != offset {
			t.Errorf("%q: %v, want an error at %d", text, err, offset)
		}
	}
}

// FuzzCondition checks that parsing terminates for any input, and that a valid condition can be evaluated.
func FuzzCondition(f *testing.F) {
	for _, seed := range []string{
		`visitor.claims.plan == "pro"`, `!(true && visitor.claims["a b"][0] !== 'x') || false`, `-1e5 == 2`, `"\"`, `(((`,
	} {
		f.Add(seed)
	}
	claims := decode(f, claimsText)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text)
		var syntax *SyntaxError
		switch {
		case err == nil:
			c.Holds(claims)
			c.Holds(nil)
		case !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text):
			t.Errorf("%q: %v", text, err)
		}
	})
}

const schemaText = `{
	"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/schema", "type": "object",
	"additionalProperties": false,
	"properties": {
		"unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": false,
			"properties": {"dark": {"type": "boolean", "description": "Likes it dark"}}},
		"beta": {"type": "boolean", "description": "Tests what is new"},
		"plan": {"type": "string", "description": "Plan", "enum": ["pro", "say \"free\""]},
		"a b": {"type": "string", "description": "Any text"},
		"seats": {"type": "number", "description": "Seats"},
		"roles": {"type": "array", "description": "Roles", "items": {"type": "string", "enum": ["guest", "dev"]}}
	}}`

func TestSchema(t *testing.T) {
	t.Parallel()
	s, wrong := ParseSchema([]byte(schemaText))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	known := s.KnownClaims(decode(t,
		`{"beta": true, "plan": "pro", "a b": "x", "seats": 2, "roles": ["dev"], "unsigned": {"dark": false}}`))
	if len(known) != 6 {
		t.Errorf("known %v", known)
	}
	if known := s.KnownClaims(decode(t,
		`{"beta": "true", "plan": "other", "a b": 1, "seats": "2", "roles": ["admin"], "unsigned": {"light": true}, "more": true, "nothing": null}`)); len(known) != 0 {
		t.Errorf("known %v", known)
	}
	want := []Template{
		{"Tests what is new", `visitor.claims.beta == true`},
		{"Plan: pro", `visitor.claims.plan == "pro"`},
		{`Plan: say "free"`, `visitor.claims.plan == "say \"free\""`},
		{"Likes it dark", `visitor.claims.unsigned.dark == true`},
	}
	got := s.Templates()
	if !slices.Equal(got, want) {
		t.Errorf("templates %v", got)
	}
	for _, template := range got {
		if _, err := ParseCondition(template.Condition); err != nil {
			t.Errorf("%s: %v", template.Condition, err)
		}
	}
}

// TestSchemaWithoutDescriptions checks that descriptions in a schema are optional: without them claims are described by their
// names.
func TestSchemaWithoutDescriptions(t *testing.T) {
	t.Parallel()
	s, wrong := ParseSchema([]byte(`{"type": "object", "additionalProperties": false, "properties": {"beta": {"type": "boolean"},
		"unsigned": {"type": "object", "additionalProperties": false, "properties": {"dark": {"type": "boolean"}}}}}`))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if got, want := s.Templates(), []Template{{"beta", "visitor.claims.beta == true"}, {
		"dark", "visitor.claims.unsigned.dark == true",
	}}; !slices.Equal(got, want) {
		t.Errorf("templates %v", got)
	}
}

func TestSchemaUndefinedClaim(t *testing.T) {
	t.Parallel()
	s, _ := ParseSchema([]byte(schemaText))
	for text, lacks := range map[string]string{
		`visitor.claims.beta`: "",
		`visitor.claims["a b"] == "x" || visitor.claims.unsigned.dark`: "",
		`visitor.claims.roles[1] == "dev" && true`:                     "",
		`!(visitor.claims.beta && visitor.claims.gamma)`:               "visitor.claims.gamma",
		`1 == visitor.claims["a c"].d`:                                 `visitor.claims["a c"].d`,
		`visitor.claims.unsigned.light`:                                "visitor.claims.unsigned.light",
		`visitor.claims.plan.name`:                                     "visitor.claims.plan.name",
		`visitor.claims.plan[0]`:                                       "visitor.claims.plan[0]",
	} {
		c, err := ParseCondition(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := s.UndefinedClaim(c); got != lacks {
			t.Errorf("%s: %q, want %q", text, got, lacks)
		}
	}
}

func TestSchemaViolations(t *testing.T) {
	t.Parallel()
	const whole = `{"type": "object", "additionalProperties": false, "properties": {"x": %}}`
	for text, paths := range map[string]string{
		`[]`: "", `null`: "", `{}`: "type additionalProperties properties",
		`{"type": "array", "additionalProperties": true, "properties": [], "required": []}`:                                                   "required type additionalProperties properties",
		`{"$schema": "http://json-schema.org/draft-04/schema#", "$id": 1, "type": "object", "additionalProperties": false, "properties": {}}`: "$schema $id",
		`{"type": "object", "additionalProperties": false, "properties": {"": {}}}`:                                                           "properties",
		`{"type": "object", "additionalProperties": false, "properties": {"unsigned": {"type": "boolean", "description": "x"}}}`:              "properties.unsigned.type",
		strings.Replace(whole, "%", `{}`, 1):                                      "properties.x.type",
		strings.Replace(whole, "%", `true`, 1):                                    "properties.x",
		strings.Replace(whole, "%", `{"type": "integer", "description": "d"}`, 1): "properties.x.type",
		strings.Replace(whole, "%", `{"type": ["string"], "description": "d"}`,
			1): "properties.x.type properties.x.type",
		strings.Replace(whole, "%", `{"type": "boolean", "description": 1}`, 1):                            "properties.x.description",
		strings.Replace(whole, "%", `{"type": "boolean", "description": "d", "enum": ["a"]}`, 1):           "properties.x.enum",
		strings.Replace(whole, "%", `{"type": "string", "description": "d", "enum": []}`, 1):               "properties.x.enum",
		strings.Replace(whole, "%", `{"type": "string", "description": "d", "enum": ["a", "a"]}`, 1):       "properties.x.enum[1]",
		strings.Replace(whole, "%", `{"type": "string", "description": "d", "pattern": "x"}`, 1):           "properties.x.pattern",
		strings.Replace(whole, "%", `{"type": "array", "description": "d"}`, 1):                            "properties.x.items",
		strings.Replace(whole, "%", `{"type": "array", "description": "d", "items": {"type": "null"}}`, 1): "properties.x.items.type",
		strings.Replace(whole, "%", `{"type": "object", "description": "d", "properties": {}}`,
			1): "properties.x.additionalProperties",
		`"` + strings.Repeat("x", MaxSchemaBytes) + `"`: "",
	} {
		_, wrong := ParseSchema([]byte(text))
		var got []string
		for _, v := range wrong {
			got = append(got, v.Path)
		}
		if strings.Join(got, " ") != paths || len(wrong) == 0 {
			t.Errorf("%.200s: %v", text, wrong)
		}
	}
	deep := strings.Repeat(`{"type": "array", "description": "d", "items": `, 20) + `{"type": "boolean"}` + strings.Repeat("}", 20)
	if _, wrong := ParseSchema([]byte(strings.Replace(whole, "%", deep, 1))); len(wrong) != 1 {
		t.Errorf("20 levels: %v", wrong)
	}
}
