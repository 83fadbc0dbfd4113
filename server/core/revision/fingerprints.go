package revision

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Fingerprint is a changed item with a hash of its visible content.
type Fingerprint struct {
	ChangedItem
	Hash string
}

// Fingerprints returns the fingerprints of the items of a range, by id. The hash of an item covers its text,
// settings, position and includes, and the text that it is compared with. Read marks store these hashes. Only texts
// with expressions and reusable contents are read.
func (c *DiffCache) Fingerprints(ctx context.Context, p Range) (map[string]Fingerprint, error) {
	items, err := c.Changes(ctx, p)
	if err != nil {
		return nil, err
	}
	var ids []string
	for id := range items {
		ids = append(ids, id)
	}
	var sides [2]rangeSide
	for i, r := range []string{p.Base, p.Revision} {
		if sides[i], err = c.readSide(ctx, c.loaded[r], ids); err != nil {
			return nil, err
		}
	}
	fingerprints := make(map[string]Fingerprint, len(items))
	for id, item := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seen := sha256.New()
		for i := range sides {
			data, err := sides[i].encodeItem(ctx, c, id, i == 1)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(seen, "%d ", len(data))
			seen.Write(data)
		}
		const enough = 9
		fingerprints[id] = Fingerprint{item, base64.RawURLEncoding.EncodeToString(seen.Sum(nil)[:enough])}
	}
	return fingerprints, nil
}

// rangeSide is one revision of a range with its entries for the changed items.
type rangeSide struct {
	revision                Revision
	pages, files, reusables map[string]objects.Entry
	links                   map[string]PageLinks
}

func (c *DiffCache) readSide(ctx context.Context, r Revision, ids []string) (s rangeSide, err error) {
	s.revision = r
	if len(ids) == 0 {
		return s, nil
	}
	for _, part := range []struct {
		root string
		into *map[string]objects.Entry
	}{{r.Pages, &s.pages}, {r.Files, &s.files}, {r.Reusables, &s.reusables}} {
		if *part.into, err = c.Content.Get(ctx, part.root, ids...); err != nil {
			return s, fmt.Errorf("what was changed: %w", err)
		}
	}
	root, err := c.revisions.LinksRoot(ctx, c.Content, store.Head{Pages: r.Pages, Links: r.Links})
	if err != nil {
		return s, err
	}
	s.links, err = ReadLinks(ctx, c.Content, root, ids...)
	return s, err
}

// encodeItem returns the visible content of an item, or nil if it does not exist. The position of a page is included
// on the proposed side only.
func (rs rangeSide) encodeItem(ctx context.Context, c *DiffCache, id string, proposed bool) ([]byte, error) {
	if name, ok := strings.CutPrefix(id, VariableItemPrefix); ok {
		value, has := rs.revision.Variables[name]
		return fmt.Appendf(nil, "%t %s", has, value), nil
	}
	if e, ok := rs.files[id]; ok {
		return e.Value, nil
	}
	e, page := rs.pages[id]
	if !page {
		var exists bool
		if e, exists = rs.reusables[id]; !exists {
			return nil, nil
		}
	}
	p, err := DecodePage(id, e)
	if err != nil {
		return nil, err
	}
	content := map[string]any{"text": p.Text, "attributes": Attributes(p)}
	if proposed {
		content["place"] = []string{p.Parent, p.Order, p.Slug}
	}
	if p.Text != "" && (!page || len(rs.links[id].Names) > 0) {
		read, err := c.evaluateText(ctx, p, rs.revision)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(read)
		content["read"] = sum[:]
	}
	data, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("fingerprint of %s: %w", id, err)
	}
	return data, nil
}
