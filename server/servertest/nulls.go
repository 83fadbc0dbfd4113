package servertest

import (
	"fmt"
	"maps"
	"slices"
)

// mayBeNull are the members of answers that the interface lets be null: roles and levels that nobody has, and where a
// menu of a header leads. What is absent elsewhere is absent.
var mayBeNull = []string{"role", "defaultRole", "defaultLevel", "to"}

// notOurs are the members whose values people wrote: what is in them is none of the interface's.
var notOurs = []string{"after", "before", "configuration", "data", "default", "jsonSchema"}

// strayNulls are where a value has null although what is absent should be absent.
func strayNulls(path string, v any) (found []string) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if item == nil {
				found = append(found, fmt.Sprintf("%s[%d]: is null", path, i))
			}
			found = append(found, strayNulls(fmt.Sprintf("%s[%d]", path, i), item)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			switch {
			case slices.Contains(notOurs, name):
			case v[name] == nil && !slices.Contains(mayBeNull, name):
				found = append(found, path+"."+name+": is null")
			default:
				found = append(found, strayNulls(path+"."+name, v[name])...)
			}
		}
	}
	return found
}
