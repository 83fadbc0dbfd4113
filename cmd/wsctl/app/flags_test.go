package app

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// TestFlagValueJSON checks that typed values are encoded as the JSON that the schema requires, and that values that the schema
// does not allow are rejected.
func TestFlagValueJSON(t *testing.T) {
	t.Parallel()
	word := &api.Schema{Kind: api.KindString, Enum: []string{"a", "b"}}
	for typed, test := range map[string]struct {
		schema *api.Schema
		want   string // "" if rejected
	}{
		"a <b>":    {&api.Schema{Kind: api.KindString}, `"a \u003cb\u003e"`},
		"7":        {&api.Schema{Kind: api.KindInteger}, `7`},
		"7.5":      {&api.Schema{Kind: api.KindInteger}, ""},
		"0.5":      {&api.Schema{Kind: api.KindNumber}, `0.5`},
		"true":     {&api.Schema{Kind: api.KindBoolean}, `true`},
		"yes":      {&api.Schema{Kind: api.KindBoolean}, ""},
		"a,b":      {&api.Schema{Kind: api.KindArray, Items: word}, `["a","b"]`},
		"a,c":      {&api.Schema{Kind: api.KindArray, Items: word}, ""},
		"c":        {word, ""},
		"\xff":     {&api.Schema{Kind: api.KindString}, ""},
		"all":      {&api.Schema{Kind: api.KindArray, Items: &api.Schema{Kind: api.KindString}, Words: []string{"all"}}, `"all"`},
		"all,else": {&api.Schema{Kind: api.KindArray, Items: &api.Schema{Kind: api.KindString}, Words: []string{"all"}}, `["all","else"]`},
	} {
		v := &FlagValue{Name: "it", Schema: test.schema}
		if err := v.Set(typed); err != nil {
			if test.want != "" {
				t.Errorf("%q is refused: %v", typed, err)
			}
			continue
		}
		got, err := v.JSON()
		if err != nil || string(got) != test.want {
			t.Errorf("%q is %s, %v; want %s", typed, got, err, test.want)
		}
	}
}

func TestFlagValueOverridesDefault(t *testing.T) {
	t.Parallel()
	v := &FlagValue{Name: "source", Schema: &api.Schema{Kind: api.KindArray, Items: &api.Schema{Kind: api.KindString}}}
	v.SetDefault("website")
	if !v.HasDefault() || v.IsSet() || v.String() != "website" {
		t.Errorf("before: %q, default %v, given %v", v, v.HasDefault(), v.IsSet())
	}
	for _, text := range []string{"zip", "page"} {
		if err := v.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if v.HasDefault() || !v.IsSet() || v.String() != "zip,page" {
		t.Errorf("after: %q, default %v, given %v", v, v.HasDefault(), v.IsSet())
	}
}

func TestEncodePointer(t *testing.T) {
	t.Parallel()
	id := &api.Schema{Kind: api.KindString, Pattern: "id"}
	schema := &api.Schema{Kind: api.KindObject, Fields: []api.Field{
		{Name: "type", Schema: &api.Schema{Kind: api.KindString, Enum: []string{"space", "collection"}}},
		{Name: "space", Schema: id},
		{Name: "collection", Schema: id},
	}}
	if !IsPointer(schema) || IsPointer(id) {
		t.Error("a pointer is mistaken for an id")
	}
	for typed, want := range map[string]string{
		"s_1": `{"space":"s_1","type":"space"}`, "l_1": `{"collection":"l_1","type":"collection"}`, "u_1": "space or a collection",
	} {
		got, err := EncodePointer(schema, typed)
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, want %s", typed, got, want)
		}
	}
}

func TestFlagName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"targetPage": "target-page", "sourceURL": "source-url", "onlyID": "only-id", "title": "title",
	} {
		if got := Kebab(name); got != want {
			t.Errorf("%s is --%s, want --%s", name, got, want)
		}
	}
}
