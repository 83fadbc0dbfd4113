package merge

import (
	"context"

	"docspace.dev/wsd/server/text/content"
)

// Map is ResolveMap without resolutions.
func Map(kind string, base, ours, theirs map[string]string) (result map[string]string, conflicts []Conflict) {
	return ResolveMap(kind, base, ours, theirs, nil)
}

// Text is ResolveText without resolutions.
func Text(page string, base, ours, theirs content.Text) (merged content.Text, conflicts []Conflict) {
	return ResolveText(page, base, ours, theirs, nil)
}

// ResolveText is TextContext with resolutions of conflicts of an earlier call with the same texts. It returns the
// conflicts without a resolution.
func ResolveText(page string, base, ours, theirs content.Text, answers Resolutions) (merged content.Text, conflicts []Conflict) {
	l := newLedger(answers)
	merged = mergeText(context.Background(), l, page, base, ours, theirs)
	return merged, l.conflicts
}
