package merge

import (
	"context"

	"docspace.dev/wsd/server/text/content"
)

// Map is ResolveMap without resolutions.
func Map(kind string, base, ours, theirs map[string]string) (result map[string]string, conflicts []Conflict) {
	return ResolveMap(kind, base, ours, theirs, nil)
}

// Text is TextContext without a context.
func Text(page string, base, ours, theirs content.Text) (merged content.Text, conflicts []Conflict) {
	return TextContext(context.Background(), page, base, ours, theirs)
}
