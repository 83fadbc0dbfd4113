package api

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type optionals struct {
	Text   Optional[string]            `json:"text,omitzero"`
	Number Optional[int]               `json:"number,omitzero"`
	Time   Optional[Time]              `json:"time,omitzero"`
	List   Optional[[]string]          `json:"list,omitzero"`
	Map    Optional[map[string]string] `json:"map,omitzero"`
	Role   Optional[Role]              `json:"role,omitzero"`
}

// TestOptionalRoundTrip checks that absent, null and set values are encoded exactly as they were decoded.
func TestOptionalRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`,
		`{"text":null,"number":null,"time":null,"list":null,"map":null,"role":null}`,
		`{"text":"","number":0,"list":[],"map":{},"role":""}`,
		`{"text":"null","number":-5,"time":"2026-01-31T12:00:00.000Z","list":["a"],"map":{"a":"b"},"role":"admin"}`,
	} {
		var o optionals
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		back, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if string(back) != text {
			t.Errorf("%s came back as %s", text, back)
		}
	}
}

func TestOptionalStates(t *testing.T) {
	t.Parallel()
	type state struct {
		Value              string
		Has, Null, Zero    bool
		Changed, Cleared   bool
		Applied, NullableV string
	}
	for name, c := range map[string]struct {
		o    Optional[string]
		want state
	}{
		"absent":          {Optional[string]{}, state{Zero: true, Applied: "old", NullableV: "old"}},
		"null":            {Null[string](), state{Null: true, Applied: "old", Cleared: true}},
		"value":           {Some("new"), state{Value: "new", Has: true, Changed: true, Cleared: true, Applied: "new", NullableV: "new"}},
		"unchanged value": {Some("old"), state{Value: "old", Has: true, Applied: "old", NullableV: "old"}},
		"empty value":     {Some(""), state{Has: true, Changed: true, Cleared: true}},
	} {
		var got state
		got.Value, got.Has = c.o.Get()
		got.Null, got.Zero = c.o.IsNull(), c.o.IsZero()
		got.Applied, got.NullableV = "old", "old"
		got.Changed, got.Cleared = c.o.Apply(&got.Applied), c.o.ApplyNull(&got.NullableV)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOptionalRejectsOtherTypes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"text":5}`, `{"number":"5"}`, `{"number":1.5}`, `{"time":"tomorrow"}`, `{"list":"a"}`} {
		if err := json.Unmarshal([]byte(text), &optionals{}); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
