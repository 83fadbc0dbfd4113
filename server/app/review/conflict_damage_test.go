package review

import (
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/merge"
)

// TestDamagedSettingsAreReported checks that a damaged value of a setting is not displayed as an empty or default one.
func TestDamagedSettingsAreReported(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"target":    {`{"kind":`, `{"kind":"page","page":7}`, `null`, `{}`, `{"kind":"planet"}`},
		"metaLinks": {`{"alternates":`, `{"alternates":7}`, `[]`},
		"layout":    {`{"width":`, `{"width":7}`, `[]`},
		"cover":     {`{"ref":`, `{"ref":7}`, `{}`, `null`},
		"computed":  {`{"dependencies":`, `{"dependencies":7}`, `{}`, `null`},
		"hidden":    {`tru`, `1`},
	} {
		for _, value := range values {
			d := &describer{}
			if got := d.formatSetting(name, value); !strings.Contains(got, unreadableValue) {
				t.Errorf("%s %s is displayed as %q", name, value, got)
			}
			if len(d.unreadable) == 0 {
				t.Errorf("%s %s is not logged", name, value)
			}
		}
	}
	d := &describer{}
	for name, want := range map[string]string{"target": "not set", "layout": "not set", "cover": "not set", "hidden": "off"} {
		if got := d.formatSetting(name, ""); got != want {
			t.Errorf("absent %s is displayed as %q, want %q", name, got, want)
		}
	}
	if got := d.formatSetting("hidden", "false"); got != "off" || len(d.unreadable) > 0 {
		t.Errorf("false is displayed as %q; unreadable: %q", got, d.unreadable)
	}
}

// TestDamagedFileIsNotShownAsDeleted checks that a damaged file in a conflict is neither absent nor displayed as
// deleted.
func TestDamagedFileIsNotShownAsDeleted(t *testing.T) {
	t.Parallel()
	good, damaged := `{"name":"mast.png","size":7,"contentType":"image/png"}`, `{"name":`
	for _, sides := range [][3]*string{
		{&good, &damaged, &good}, {&good, &good, &damaged}, {&damaged, &damaged, &damaged}, {&damaged, nil, &damaged},
	} {
		d, desc := &describer{}, description{}
		d.Names = [2]string{"the space", "the request"}
		d.describeFile(&desc, merge.Conflict{Kind: merge.KindFile, Key: "f_1", Base: sides[0], Ours: sides[1], Theirs: sides[2]})
		shown := []string{desc.Base.Value, desc.Ours.Value, desc.Theirs.Value}
		for i, value := range sides {
			if value == &damaged && shown[i] != unreadableValue {
				t.Errorf("a damaged file is displayed as %q", shown[i])
			}
		}
		if desc.Ours.Absent != (sides[1] == nil) || desc.Theirs.Absent || desc.Title == "" || len(d.unreadable) == 0 {
			t.Errorf("%q: absent %t and %t, title %q, unreadable %q", shown, desc.Ours.Absent, desc.Theirs.Absent, desc.Title, d.unreadable)
		}
	}
}

// TestDamagedValuesHaveNoReferences checks that the references of the readable sides are found although another side is
// damaged.
func TestDamagedValuesHaveNoReferences(t *testing.T) {
	t.Parallel()
	for attribute, good := range map[string]string{
		"target":    `{"kind":"page","page":"p_1"}`,
		"cover":     `{"ref":{"kind":"page","page":"p_1"}}`,
		"metaLinks": `{"canonical":{"kind":"page","page":"p_1"}}`,
	} {
		damaged := good[:len(good)-1]
		refs := contentRefs(merge.Conflict{Kind: merge.KindAttribute, Attribute: attribute, Base: nil, Ours: &damaged, Theirs: &good})
		if len(refs) != 1 || refs[0].Page != "p_1" {
			t.Errorf("%s refers to %v", attribute, refs)
		}
	}
}
