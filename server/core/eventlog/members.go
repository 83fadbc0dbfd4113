package eventlog

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"docspace.dev/wsd/client/api"
)

// Members tells the members of an object that events contain from those that are texts, by the schema of the object.
type Members struct {
	label string          // member that names the object; "" = none
	plain map[string]bool // members that are no text
}

// labels are the members that name an object, the best one first. Names of people are none of them, see Audit.
var labels = []string{"title", "subject", "name", "filename"}

// personal are the objects that stand for people: what names them is the name of a person.
var personal = []string{"identity"}

// unrecorded are the members that change with every commit.
var unrecorded = map[string]bool{"updatedAt": true, "object": true}

// idMembers are the members whose values are ids, although their schemas do not say so.
var idMembers = map[string]bool{
	"parent": true, "revisionMerged": true, "revisionMergedAncestor": true, "revisionInitial": true, "copy": true,
}

// NewMembers returns the Members of the object with the given schema.
func NewMembers(s *api.Schema) Members {
	m := Members{plain: map[string]bool{}}
	for _, f := range s.Fields {
		if !unrecorded[f.Name] && (idMembers[f.Name] || isPlain(f.Schema, 0)) {
			m.plain[f.Name] = true
		}
	}
	if object, ok := s.Field("object"); ok && len(object.Schema.Enum) == 1 && slices.Contains(personal, object.Schema.Enum[0]) {
		return m
	}
	for _, name := range labels {
		if f, ok := s.Field(name); ok && f.Schema.Kind == api.KindString && m.label == "" {
			m.label = name
		}
	}
	return m
}

// maxPlainDepth bounds the nesting of members that are no text. Recursive schemas are deeper.
const maxPlainDepth = 4

// isPlain reports whether no value of the schema is a text.
func isPlain(s *api.Schema, depth int) bool {
	if depth > maxPlainDepth {
		return false
	}
	switch s.Kind {
	case api.KindBoolean, api.KindInteger, api.KindNumber:
		return true
	case api.KindString:
		isID := s.Pattern == "id" || s.Pattern == "optionalID"
		return s.Object == nil && !s.OrObject && (isID || s.Enum != nil || s.Format == "date-time")
	case api.KindArray:
		return s.Items != nil && isPlain(s.Items, depth+1)
	case api.KindObject:
		return len(s.Fields) > 0 && !slices.ContainsFunc(s.Fields, func(f api.Field) bool { return !isPlain(f.Schema, depth+1) })
	case api.KindMap, api.KindAny:
	}
	return false
}

// Label returns the title of an encoded object, or "".
func (m Members) Label(object []byte) string {
	if m.label == "" || len(object) == 0 {
		return ""
	}
	found := map[string]json.RawMessage{}
	var label string
	if json.Unmarshal(object, &found) != nil || json.Unmarshal(found[m.label], &label) != nil {
		return "" // the member is absent or null
	}
	return label
}

// ObjectID returns the id of an encoded object, or "".
func ObjectID(object []byte) string {
	var found struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(object, &found) != nil {
		return "" // absent, or no object
	}
	return found.ID
}

// Diff is the difference of two versions of an object.
type Diff struct {
	Changed       []string                   // names of the changed members, sorted
	Before, After map[string]json.RawMessage // those of at most MaxMember bytes that are no text
	LabelBefore   string                     // the title, if it has changed
	LabelAfter    string
	size          int // bytes of the values
}

// Diff returns the difference of two encoded versions of an object.
func (m Members) Diff(before, after []byte) (Diff, error) {
	was, now, d := map[string]json.RawMessage{}, map[string]json.RawMessage{}, Diff{}
	if err := json.Unmarshal(before, &was); err != nil {
		return d, err
	}
	if err := json.Unmarshal(after, &now); err != nil {
		return d, err
	}
	names := maps.Clone(was)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if unrecorded[name] || bytes.Equal(was[name], now[name]) {
			continue
		}
		d.Changed = append(d.Changed, name)
		if name == m.label {
			d.LabelBefore, d.LabelAfter = m.Label(before), m.Label(after)
		}
		if m.plain[name] {
			d.set(name, was[name], now[name])
		}
	}
	return d, nil
}

// Add adds a member that is no text and not part of the compared objects, such as a role. Equal values are no change. A member that is
// added several times has the values that are the same each time.
func (d *Diff) Add(name string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	was, err := json.Marshal(before)
	now, err2 := json.Marshal(after)
	if err != nil || err2 != nil {
		return
	}
	if slices.Contains(d.Changed, name) {
		if !bytes.Equal(d.Before[name], was) {
			delete(d.Before, name)
		}
		if !bytes.Equal(d.After[name], now) {
			delete(d.After, name)
		}
		return
	}
	d.Changed = append(d.Changed, name)
	slices.Sort(d.Changed)
	d.set(name, was, now)
}

// AddText adds a changed member that is a text and not part of the compared objects. Its values are not recorded.
func (d *Diff) AddText(name string) {
	if !slices.Contains(d.Changed, name) {
		d.Changed = append(d.Changed, name)
		slices.Sort(d.Changed)
	}
}

// Merge adds the members of another difference.
func (d *Diff) Merge(other Diff) {
	for _, name := range other.Changed {
		if !slices.Contains(d.Changed, name) {
			d.Changed = append(d.Changed, name)
			d.set(name, other.Before[name], other.After[name])
		}
	}
	slices.Sort(d.Changed)
	d.LabelBefore, d.LabelAfter = other.LabelBefore, other.LabelAfter
}

// maxValues is the maximum size of all values of a Diff in bytes.
const maxValues = 500

// set sets the values of a member. Absent and long values are left out.
func (d *Diff) set(name string, before, after json.RawMessage) {
	size := len(before) + len(after)
	if size == 0 || len(before) > MaxMember || len(after) > MaxMember || d.size+size > maxValues {
		return
	}
	d.size += size
	if d.Before == nil {
		d.Before, d.After = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	}
	if before != nil {
		d.Before[name] = before
	}
	if after != nil {
		d.After[name] = after
	}
}
