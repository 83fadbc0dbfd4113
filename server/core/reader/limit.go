package reader

import (
	"context"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/objects"
)

// Limits of the text that expressions add to a space, because a reusable content of 1 MiB may be included in every
// page. Within the limit all expressions are replaced; in a space beyond it, each page has a limit of its own.
const (
	addedFactor = 4        // multiple of the size of the texts
	addedBytes  = 64 << 20 // bytes in addition to addedFactor
)

// maxSize returns the maximum size of the evaluated form of a text of size bytes. It does not depend on other texts.
func (v *View) maxSize(size int) int {
	return min(size+addedFactor*size+addedBytes/max(v.Tree.Count, 1), content.MaxTextBytes)
}

// fits reports whether the text added by all expressions of the revision is within the limit. It is computed from the
// link map without reading the texts.
func (v *View) fits(ctx context.Context) (bool, error) {
	variables, err := json.Marshal(v.Revision.Variables)
	if err != nil {
		return false, fmt.Errorf("variables of %s: %w", v.Head.Revision, err)
	}
	links, err := v.linkMap(ctx)
	if err != nil {
		return false, err
	}
	key := objects.KeyOf(v.content, []string{links, v.Revision.Reusables}, string(variables))
	if fits, ok := v.service.Caches.sizeChecks.Get(key); ok {
		return fits, nil
	}
	texts, err := revision.ReadLinks(ctx, v.content, links)
	if err != nil {
		return false, err
	}
	size, added, costs := 0, 0, costs{view: v, reusables: v.sizes}
	for id, text := range texts {
		size += text.Size
		more, err := costs.total(ctx, v.Tree.Page(id), text.Names)
		if err != nil {
			return false, err
		}
		added += min(more, content.MaxTextBytes)
	}
	fits := added <= addedFactor*size+addedBytes
	v.service.Caches.sizeChecks.Put(key, fits)
	return fits, nil
}

// costs computes how much expressions add to a text.
type costs struct {
	view      *View
	reusables map[string]int // by id
}

func (c costs) total(ctx context.Context, p *revision.Page, names []revision.NameUse) (added int, err error) {
	for _, use := range names {
		var cost int
		switch use.Scope {
		case content.ScopeReusable:
			cost, err = c.reusable(ctx, use.Name)
		case content.ScopePage:
			if p != nil {
				cost = len(p.Variables[use.Name])
			}
		default:
			cost = len(c.view.Revision.Variables[use.Name])
		}
		if err != nil {
			return 0, err
		}
		added += cost * (use.Repeats + 1)
	}
	return added, nil
}

// reusable returns the size of a reusable content with its expressions replaced.
func (c costs) reusable(ctx context.Context, id string) (int, error) {
	if cost, known := c.reusables[id]; known {
		return cost, nil
	}
	include := []byte(content.IncludeExpression(id))
	texts, err := c.view.includedTexts(ctx, include)
	if err != nil {
		return 0, err
	}
	whole, _ := content.Evaluate(include, content.Scope{Space: c.view.Revision.Variables, Reusable: texts})
	c.reusables[id] = len(whole)
	return len(whole), nil
}
