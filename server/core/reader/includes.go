package reader

import (
	"context"
	"slices"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// maxCachedBytes is the approximate limit for the bytes of reusable contents that a view caches.
const maxCachedBytes = 32 * content.MaxTextBytes

// includedTexts returns the texts of the reusable contents that a text includes, directly or through others.
func (v *View) includedTexts(ctx context.Context, markdown []byte) (map[string][]byte, error) {
	return revision.IncludedTexts(ctx, markdown, v.reusableTexts)
}

// reusableTexts returns the texts of reusable contents, from the cache of the view if possible.
func (v *View) reusableTexts(ctx context.Context, ids []string) (map[string][]byte, error) {
	if v.cachedBytes > maxCachedBytes {
		v.reusables, v.cachedBytes = map[string][]byte{}, 0
	}
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := v.reusables[id]; return known })
	if len(unknown) > 0 {
		found, err := revision.ReusableTexts(v.content, v.Revision.Reusables)(ctx, unknown)
		if err != nil {
			return nil, err
		}
		for _, id := range unknown {
			v.reusables[id] = found[id]
			v.cachedBytes += len(found[id])
		}
	}
	texts := make(map[string][]byte, len(ids))
	for _, id := range ids {
		if text := v.reusables[id]; text != nil { // nil if it does not exist
			texts[id] = text
		}
	}
	return texts, nil
}
