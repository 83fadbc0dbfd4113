package servertest

import (
	"fmt"
	"maps"
	"slices"
)

// nullableMembers lists the members of responses that may be null: absent roles and levels, and the target of a header
// menu. All other absent members are omitted.
var nullableMembers = []string{"role", "defaultRole", "defaultLevel", "to"}

// userDefinedMembers lists the members with user-defined values, which may contain anything.
var userDefinedMembers = []string{"after", "before", "configuration", "data", "default", "jsonSchema"}

// unexpectedNulls returns the paths of null values that should be omitted.
func unexpectedNulls(path string, v any) (found []string) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if item == nil {
				found = append(found, fmt.Sprintf("%s[%d]: is null", path, i))
			}
			found = append(found, unexpectedNulls(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case slices.Contains(userDefinedMembers, name):
			case v[name] == nil && !slices.Contains(nullableMembers, name):
				found = append(found, path+"."+name+": is null")
			default:
				found = append(found, unexpectedNulls(path+"."+name, v[name])...)
			}
		}
	}
	return found
}
