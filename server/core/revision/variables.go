package revision

import (
	"maps"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/merge"
)

// maxVariables bounds the variables of a page or space.
const maxVariables = 200

// WithVariables returns a copy of variables with the given ones set, or removed if the value is nil. It returns an
// error if there are too many.
func WithVariables(variables map[string]string, set map[string]*string) (map[string]string, error) {
	next := maps.Clone(variables)
	for name, value := range set {
		switch {
		case value == nil:
			delete(next, name)
		case next == nil:
			next = map[string]string{name: *value}
		default:
			next[name] = *value
		}
	}
	if len(next) > maxVariables {
		return nil, api.InvalidField("variables", "would make %d variables; there are at most %d", len(next), maxVariables)
	}
	return next, nil
}

// MergeVariables merges the variables of the space by name.
func (w *Worktree) MergeVariables(base, theirs Revision, answers merge.Resolutions) []merge.Conflict {
	var conflicts []merge.Conflict
	w.Variables, conflicts = merge.ResolveMap(merge.KindVariable, base.Variables, w.BaseRevision.Variables, theirs.Variables, answers)
	return conflicts
}
