package server

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/store"
)

// maxIncludeDepth bounds how deep reusable contents are looked for in each other; what is deeper stays as text.
const maxIncludeDepth = 8

// evaluate is a page's text with variables and includes replaced by what they stand for in a revision. Blocks that
// were there before keep their ids. What is stored does not change.
func (s *Server) evaluate(ctx context.Context, c *store.Content, revision string, p *page, t content.Text) (content.Text, error) {
	r, err := s.revision(ctx, c, revision)
	if err != nil {
		return t, err
	}
	reusable, err := includedTexts(ctx, c, r.Reusables, t.Markdown)
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

// includedTexts reads the reusable contents that a text includes, and those that they include.
func includedTexts(ctx context.Context, c *store.Content, root string, markdown []byte) (map[string][]byte, error) {
	texts := map[string][]byte{}
	wanted := content.Includes(markdown)
	for depth := 0; len(wanted) > 0 && depth < maxIncludeDepth; depth++ {
		found, err := readReusables(ctx, c, root, wanted...)
		if err != nil {
			return nil, err
		}
		var hashes []string
		for id, p := range found {
			texts[id] = nil
			if p.Text != "" {
				hashes = append(hashes, p.Text)
			}
		}
		payloads, err := c.Objects(ctx, hashes)
		if err != nil {
			return nil, err
		}
		wanted = nil
		for id, p := range found {
			texts[id] = payloads[p.Text]
			for _, next := range content.Includes(texts[id]) {
				if _, known := texts[next]; !known {
					wanted = append(wanted, next)
				}
			}
		}
	}
	return texts, nil
}
