package revision

import (
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/objects"
)

// maxIncludeDepth bounds how deep reusable contents are looked for in each other; what is deeper stays as text.
const maxIncludeDepth = 8

// maxIncluded is how many bytes of reusable contents are read for one text, roughly: a text with more than MaxTextBytes
// of them has the rest as text anyway.
const (
	maxIncluded    = 4 * content.MaxTextBytes
	includedAtOnce = 4
)

// ReadTexts reads texts of reusable contents, by id. Those that are not there are left out.
type ReadTexts func(ctx context.Context, ids []string) (map[string][]byte, error)

// IncludedTexts reads the reusable contents that a text includes, and those that they include.
func IncludedTexts(ctx context.Context, markdown []byte, read ReadTexts) (map[string][]byte, error) {
	texts, size := map[string][]byte{}, 0
	wanted := content.Includes(markdown)
	for depth := 0; len(wanted) > 0 && depth < maxIncludeDepth; depth++ {
		var next []string
		for some := range slices.Chunk(wanted, includedAtOnce) {
			if size > maxIncluded {
				return texts, nil
			}
			found, err := read(ctx, some)
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

// ReusableTexts reads the texts of the reusable contents of a revision.
func ReusableTexts(c *objects.Content, root string) ReadTexts {
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
			texts[id] = slices.Concat([]byte{}, payloads[p.Text]) // there, even if it is empty
		}
		return texts, nil
	}
}
