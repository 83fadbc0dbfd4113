package revision

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/objects"
)

// maxIncludeDepth bounds the nesting of included reusable contents; deeper includes stay as text.
const maxIncludeDepth = 8

// maxIncludedBytes is the approximate number of bytes of reusable contents read for one text. Includes beyond MaxTextBytes stay
// as text in any case.
const (
	maxIncludedBytes = 4 * content.MaxTextBytes
	includeBatch     = 4
)

// TextReader reads the texts of reusable contents by id. Missing ones are omitted from the result.
type TextReader func(ctx context.Context, ids []string) (map[string][]byte, error)

// IncludedTexts reads the reusable contents that a text includes, directly and indirectly, by id.
func IncludedTexts(ctx context.Context, markdown []byte, read TextReader) (map[string][]byte, error) {
	texts, size := map[string][]byte{}, 0
	wanted := content.Includes(markdown)
	for depth := 0; len(wanted) > 0 && depth < maxIncludeDepth; depth++ {
		var next []string
		for chunk := range slices.Chunk(wanted, includeBatch) {
			if size > maxIncludedBytes {
				return texts, nil
			}
			found, err := read(ctx, chunk)
			if err != nil {
				return nil, err
			}
			for id, text := range found {
				texts[id] = text
				size += len(text)
				next = append(next, content.Includes(text)...)
			}
		}
		slices.Sort(next)
		wanted = slices.DeleteFunc(slices.Compact(next), func(id string) bool { _, known := texts[id]; return known })
	}
	return texts, nil
}

// ReusableTexts returns a reader for the texts of the reusable contents of a revision. root is the root of their map.
func ReusableTexts(c *objects.Content, root string) TextReader {
	return func(ctx context.Context, ids []string) (map[string][]byte, error) {
		found, err := ReadReusables(ctx, c, root, ids...)
		if err != nil {
			return nil, err
		}
		var hashes []string
		for _, p := range found {
			if p.Text != "" {
				hashes = append(hashes, p.Text)
			}
		}
		payloads, err := c.Objects(ctx, hashes)
		if err != nil {
			return nil, fmt.Errorf("reusable contents of %s: %w", c.Space(), err)
		}
		texts := make(map[string][]byte, len(found))
		for id, p := range found {
			texts[id] = slices.Concat([]byte{}, payloads[p.Text]) // present even if the text is empty
		}
		return texts, nil
	}
}
