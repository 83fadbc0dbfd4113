package app

import (
	"encoding/json"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// pointerTypes maps the prefix of an id to the type of a pointer with that id.
var pointerTypes = map[string]string{
	"s": "space", "l": "collection", "site": "site", "ssp": "site-space", "sec": "site-section", "grp": "site-section-group",
}

// IsPointer reports whether s is an object that identifies one resource by type and id. Its flag takes the id alone.
func IsPointer(s *api.Schema) bool {
	kind, ok := s.Field("type")
	if !ok || s.Kind != api.KindObject || kind.Schema.Enum == nil || len(s.Fields) < 2 {
		return false
	}
	return !slices.ContainsFunc(s.Fields, func(f api.Field) bool { return f.Name != "type" && f.Schema.Pattern != "id" })
}

// PointerSubjects returns the subjects of the resources that a pointer may identify, such as space and siteSection.
func PointerSubjects(s *api.Schema) []string {
	kind, _ := s.Field("type")
	var subjects []string
	for _, name := range kind.Schema.Enum {
		words := strings.Split(name, "-")
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		subjects = append(subjects, strings.Join(words, ""))
	}
	return subjects
}

// HasPointerID reports whether a text has the form of the id of a resource that some pointer identifies.
func HasPointerID(text string) bool {
	prefix, body, ok := strings.Cut(text, "_")
	return ok && pointerTypes[prefix] != "" && body != "" && strings.Trim(body, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// EncodePointer returns the JSON object that points at id, for a schema accepted by IsPointer. It returns a usage error if
// id is of a type that s does not allow.
func EncodePointer(s *api.Schema, id string) (json.RawMessage, error) {
	kind, _ := s.Field("type")
	prefix, _, _ := strings.Cut(id, "_")
	name := pointerTypes[prefix]
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
