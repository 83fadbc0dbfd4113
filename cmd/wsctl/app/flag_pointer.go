package app

import (
	"encoding/json"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// pointedAt is what the beginning of an id says that it names, in the words of pointers.
var pointedAt = map[string]string{
	"s": "space", "l": "collection", "site": "site", "ssp": "site-space", "sec": "site-section", "grp": "site-section-group",
}

// IsPointer recognises an object of the body that names one thing: its type, and its id. A flag gives the id alone.
func IsPointer(s *api.Schema) bool {
	kind, ok := s.Field("type")
	if !ok || s.Kind != api.KindObject || kind.Schema.Enum == nil || len(s.Fields) < 2 {
		return false
	}
	return !slices.ContainsFunc(s.Fields, func(f api.Field) bool { return f.Name != "type" && f.Schema.Pattern != "id" })
}

// Pointer writes the object of a schema that IsPointer recognises, pointing at an id. It is a usage error if the id is of
// something else.
func Pointer(s *api.Schema, id string) (json.RawMessage, error) {
	kind, _ := s.Field("type")
	prefix, _, _ := strings.Cut(id, "_")
	name := pointedAt[prefix]
	if len(kind.Schema.Enum) == 1 {
		name = kind.Schema.Enum[0]
	}
	if !slices.Contains(kind.Schema.Enum, name) {
		return nil, Usagef("%q is not the id of a %s", id, strings.Join(kind.Schema.Enum, " or a "))
	}
	for _, f := range s.Fields {
		if f.Name == "id" || Kebab(f.Name) == name {
			return json.Marshal(map[string]string{"type": name, f.Name: id})
		}
	}
	return nil, Usagef("%q needs --data", id)
}
