package reader

import (
	"context"
	"slices"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// maxKept is how many bytes of reusable contents a view remembers for the next pages, roughly.
const maxKept = 32 * content.MaxTextBytes

// included are the texts of the reusable contents that a text includes, and of those that they include.
func (v *View) included(ctx context.Context, markdown []byte) (map[string][]byte, error) {
	return revision.IncludedTexts(ctx, markdown, v.reusableTexts)
}

// reusableTexts reads reusable contents, or remembers them.
func (v *View) reusableTexts(ctx context.Context, ids []string) (map[string][]byte, error) {
	if v.kept > maxKept {
		v.reusables, v.kept = map[string][]byte{}, 0
	}
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := v.reusables[id]; return known })
	if len(unknown) > 0 {
		found, err := revision.ReusableTexts(v.content, v.Revision.Reusables)(ctx, unknown)
		if err != nil {
			return nil, err
		}
		for _, id := range unknown {
			v.reusables[id] = found[id]
			v.kept += len(found[id])
		}
	}
	texts := make(map[string][]byte, len(ids))
	for _, id := range ids {
		if text := v.reusables[id]; text != nil { // nil: there is none
			texts[id] = text
		}
	}
	return texts, nil
}
