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

// Sight is something that a range changes, with a name for all that people see of it.
type Sight struct {
	ChangedItem
	Name string
}

// Sights are what people see of a range, by id. Two sights of something have the same name if nothing differs between
// them: text, settings and place, what is included, and the text that it is compared with. Read marks hold the names.
// Texts are read of pages with expressions and of reusable contents only.
func (c *DiffCache) Sights(ctx context.Context, p Range) (map[string]Sight, error) {
	items, err := c.Between(ctx, p)
	if err != nil {
		return nil, err
	}
	var ids []string
	for id := range items {
		ids = append(ids, id)
	}
	var sides [2]sightedSide
	for i, r := range []string{p.Base, p.Revision} {
		if sides[i], err = c.side(ctx, c.revisions[r], ids); err != nil {
			return nil, err
		}
	}
	sights := make(map[string]Sight, len(items))
	for id, item := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		seen := sha256.New()
		for i := range sides {
			data, err := sides[i].see(ctx, c, id, i == 1)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(seen, "%d ", len(data))
			seen.Write(data)
		}
		const enough = 9
		sights[id] = Sight{item, base64.RawURLEncoding.EncodeToString(seen.Sum(nil)[:enough])}
	}
	return sights, nil
}

// sightedSide is one of the revisions of a range with its entries of what the range changes.
type sightedSide struct {
	revision                Revision
	pages, files, reusables map[string]objects.Entry
	links                   map[string]PageLinks
}

func (c *DiffCache) side(ctx context.Context, r Revision, ids []string) (s sightedSide, err error) {
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
	root, err := c.server.LinkMap(ctx, c.Content, store.Head{Pages: r.Pages, Links: r.Links})
	if err != nil {
		return s, err
	}
	s.links, err = ReadLinks(ctx, c.Content, root, ids...)
	return s, err
}

// see is what people see of something; nothing, where it is not there. Where a page stands they see of what is proposed,
// not of what that is compared with.
func (s sightedSide) see(ctx context.Context, c *DiffCache, id string, proposed bool) ([]byte, error) {
	if name, ok := strings.CutPrefix(id, VariableItem); ok {
		value, has := s.revision.Variables[name]
		return fmt.Appendf(nil, "%t %s", has, value), nil
	}
	if e, ok := s.files[id]; ok {
		return e.Value, nil
	}
	e, page := s.pages[id]
	if !page {
		var there bool
		if e, there = s.reusables[id]; !there {
			return nil, nil
		}
	}
	p, err := DecodePage(id, e)
	if err != nil {
		return nil, err
	}
	sight := map[string]any{"text": p.Text, "attributes": Attributes(p)}
	if proposed {
		sight["place"] = []string{p.Parent, p.Order, p.Slug}
	}
	if p.Text != "" && (!page || len(s.links[id].Names) > 0) {
		read, err := c.evaluated(ctx, p, s.revision)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(read)
		sight["read"] = sum[:]
	}
	data, err := json.Marshal(sight)
	if err != nil {
		return nil, fmt.Errorf("sight of %s: %w", id, err)
	}
	return data, nil
}
