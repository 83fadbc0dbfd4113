package merge

import (
	"maps"
	"slices"
)

// ResolveMap merges three versions of a map, such as files, variables or reusable contents, by key. A key that the sides
// set to different values, or that one set and the other deleted, is a conflict of the given kind; the result then has
// the value of ours, or that of theirs if ours deleted it. The answers are resolutions of conflicts of an earlier call.
func ResolveMap(kind string, base, ours, theirs map[string]string, answers Resolutions) (result map[string]string, conflicts []Conflict) {
	l := newLedger(answers)
	result = make(map[string]string, len(ours))
	for _, key := range unionKeys(base, ours, theirs) {
		value, ok := threeWay(lookup(base, key), lookup(ours, key), lookup(theirs, key))
		if !ok {
			value = toOption(l.resolve(Conflict{
				Kind: kind, Key: key,
				Base: lookup(base, key).pointer(), Ours: lookup(ours, key).pointer(), Theirs: lookup(theirs, key).pointer(),
				Proposed: lookup(ours, key).or(lookup(theirs, key)).pointer(),
			}))
		}
		if value.set {
			result[key] = value.value
		}
	}
	return result, l.conflicts
}

func unionKeys(list ...map[string]string) []string {
	all := map[string]bool{}
	for _, m := range list {
		for key := range m {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// option is a comparable optional value.
type option struct {
	value string
	set   bool
}

func lookup(m map[string]string, key string) option {
	value, ok := m[key]
	return option{value, ok}
}

func toOption(value *string) option {
	if value == nil {
		return option{}
	}
	return option{*value, true}
}

func (o option) pointer() *string {
	if !o.set {
		return nil
	}
	return &o.value
}

func (o option) or(fallback option) option {
	if o.set {
		return o
	}
	return fallback
}
