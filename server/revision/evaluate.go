package revision

import (
	"context"
	"errors"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/store/objects"
)

// maxIncludeDepth bounds how deep reusable contents are looked for in each other; what is deeper stays as text.
const maxIncludeDepth = 8

// Evaluate is a page's text with variables and includes replaced by what they stand for in a revision. Blocks that
// were there before keep their ids. What is stored does not change.
func (s *Revisions) Evaluate(ctx context.Context, c *objects.Content, revision string, p *Page, t content.Text) (content.Text, error) {
	r, err := s.Revision(ctx, c, revision)
	if err != nil {
		return t, err
	}
	reusable, err := IncludedTexts(ctx, c, r.Reusables, t.Markdown)
	if err != nil {
		return t, err
	}
	evaluated := content.Evaluate(t.Markdown, content.Scope{Space: r.Variables, Page: p.Variables, Reusable: reusable})
	result, err := content.Parse(p.ID, evaluated, t)
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		return t, api.WrongState("The page cannot be evaluated: with all that it includes, the %s.", wrong).
			WithHint("Read it without evaluated.")
	}
	return result, err
}

// maxIncluded is how many bytes of reusable contents are read for one text, roughly: a text with more than MaxTextBytes
// of them has the rest as text anyway.
const (
	maxIncluded    = 4 * content.MaxTextBytes
	includedAtOnce = 4
)

// IncludedTexts reads the reusable contents that a text includes, and those that they include.
func IncludedTexts(ctx context.Context, c *objects.Content, root string, markdown []byte) (map[string][]byte, error) {
	texts, size := map[string][]byte{}, 0
	wanted := content.Includes(markdown)
	for depth := 0; len(wanted) > 0 && depth < maxIncludeDepth; depth++ {
		found, err := ReadReusables(ctx, c, root, wanted...)
		if err != nil {
			return nil, err
		}
		var next []string
		for some := range slices.Chunk(wanted, includedAtOnce) {
			if size > maxIncluded {
				return texts, nil
			}
			var hashes []string
			for _, id := range some {
				if p := found[id]; p != nil && p.Text != "" {
					hashes = append(hashes, p.Text)
				}
			}
			payloads, err := c.Objects(ctx, hashes)
			if err != nil {
				return nil, err
			}
			for _, id := range some {
				if p := found[id]; p != nil {
					texts[id] = payloads[p.Text]
					size += len(texts[id])
					next = append(next, content.Includes(texts[id])...)
				}
			}
		}
		slices.Sort(next)
		wanted = slices.DeleteFunc(slices.Compact(next), func(id string) bool { _, known := texts[id]; return known })
	}
	return texts, nil
}
