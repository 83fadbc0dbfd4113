package revision

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Range is what a change request changes: from a revision of the space to one of its own. Nothing of what a review
// saw is stored but these two names: revisions are immutable, and so is what lies between them.
type Range struct{ Base, Revision string }

// RangeOf is what a change request changes now.
func RangeOf(d store.ChangeRequestDocument, head store.Head) Range {
	return Range{cmp.Or(d.Fields.RevisionMergedAncestor, d.Fields.RevisionInitial), head.Revision}
}

// ChangedItem is something that a change request changes and that is not as somebody saw it.
type ChangedItem struct {
	ID     string // page, reusable content, file or variable
	Title  string
	Reason api.UnseenReason
}

// VariableItem begins the ids of the variables of a space, which have names only.
const VariableItem = "variable "

// DiffCache compares revisions of one space, each pair once.
type DiffCache struct {
	server    *Revisions
	Content   *objects.Content
	revisions map[string]Revision
	changes   map[Range]map[string]ChangedItem
}

// Compare returns what remembers comparisons of one space's revisions, for one request.
func (s *Revisions) Compare(space string) *DiffCache {
	return &DiffCache{
		server: s, Content: s.store.Content(space), revisions: map[string]Revision{}, changes: map[Range]map[string]ChangedItem{},
	}
}

// Unseen lists what is in the range now and was not in the one that was seen, or not so. What changed beside the
// range, as by an update that brought other pages, is not in it.
func (c *DiffCache) Unseen(ctx context.Context, was, now Range) ([]ChangedItem, error) {
	if was == now {
		return nil, nil
	}
	proposed, err := c.Between(ctx, now)
	if err != nil {
		return nil, err
	}
	var since map[string]ChangedItem
	seen, err := c.Between(ctx, was)
	if err == nil {
		since, err = c.Between(ctx, Range{was.Revision, now.Revision})
	}
	if rest.IsLost(err) {
		return inTitleOrder(proposed), nil // what was seen is not known any more
	}
	if err != nil {
		return nil, err
	}
	found := map[string]ChangedItem{}
	for id, change := range proposed {
		if _, known := seen[id]; !known {
			found[id] = change
		}
	}
	for id := range seen {
		if change, changed := since[id]; changed {
			found[id] = change
		}
	}
	if err := c.included(ctx, was, now, seen, since, found); err != nil {
		return nil, err
	}
	return inTitleOrder(found), nil
}

func inTitleOrder(found map[string]ChangedItem) []ChangedItem {
	all := slices.Collect(maps.Values(found))
	slices.SortFunc(all, func(a, b ChangedItem) int { return rest.OldestFirst(a.Title+" "+a.ID, b.Title+" "+b.ID) })
	return all
}

func (c *DiffCache) revision(ctx context.Context, id string) (r Revision, err error) {
	if r, known := c.revisions[id]; known {
		return r, nil
	}
	if r, err = c.server.Revision(ctx, c.Content, id); err == nil {
		c.revisions[id] = r
	}
	return r, err
}

// Between lists what differs between two revisions, by id: pages and reusable contents by what people see of them,
// files, and variables of the space by name.
func (c *DiffCache) Between(ctx context.Context, p Range) (map[string]ChangedItem, error) {
	if known, ok := c.changes[p]; ok {
		return known, nil
	}
	from, err := c.revision(ctx, p.Base)
	if err != nil {
		return nil, fmt.Errorf("base of a review: %w", err)
	}
	to, err := c.revision(ctx, p.Revision)
	if err != nil {
		return nil, fmt.Errorf("revision of a review: %w", err)
	}
	found := map[string]ChangedItem{}
	for _, roots := range [][2]string{{from.Pages, to.Pages}, {from.Reusables, to.Reusables}} {
		if err := c.pages(ctx, roots, found); err != nil {
			return nil, err
		}
	}
	if err := c.files(ctx, from, to, found); err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(from.Variables)), slices.Collect(maps.Keys(to.Variables))) {
		before, had := from.Variables[name]
		after, has := to.Variables[name]
		if before != after || had != has {
			found[VariableItem+name] = ChangedItem{VariableItem + name, name, api.UnseenSettings}
		}
	}
	c.changes[p] = found
	return found, nil
}

func (c *DiffCache) pages(ctx context.Context, roots [2]string, found map[string]ChangedItem) error {
	diff, err := c.Content.Diff(ctx, roots[0], roots[1])
	if err != nil {
		return fmt.Errorf("compare pages: %w", err)
	}
	for id, change := range diff {
		before, err := pageOf(id, change.Before)
		if err != nil {
			return err
		}
		after, err := pageOf(id, change.After)
		if err != nil {
			return err
		}
		if reason := differs(before, after); reason != "" {
			found[id] = ChangedItem{id, cmp.Or(after, before).Name(), reason}
		}
	}
	return nil
}

func (c *DiffCache) files(ctx context.Context, from, to Revision, found map[string]ChangedItem) error {
	diff, err := c.Content.Diff(ctx, from.Files, to.Files)
	if err != nil {
		return fmt.Errorf("compare files: %w", err)
	}
	for id, change := range diff {
		reason, entry := api.UnseenText, change.After
		switch {
		case change.Before == nil:
			reason = api.UnseenCreated
		case change.After == nil:
			reason, entry = api.UnseenDeleted, change.Before
		}
		f, err := DecodeFile(id, *entry)
		if err != nil {
			return err
		}
		found[id] = ChangedItem{id, f.Name, reason}
	}
	return nil
}

// pageOf decodes one side of a change; nil is absent.
func pageOf(id string, e *objects.Entry) (*Page, error) {
	if e == nil {
		return nil, nil //nolint:nilnil // absent
	}
	return DecodePage(id, *e)
}

// differs says how two states of a page differ for people; "" where only times or block ids do.
func differs(before, after *Page) api.UnseenReason {
	switch {
	case before == nil && after == nil:
		return ""
	case before == nil:
		return api.UnseenCreated
	case after == nil:
		return api.UnseenDeleted
	case before.Text != after.Text:
		return api.UnseenText
	case before.Parent != after.Parent || before.Order != after.Order || before.Slug != after.Slug:
		return api.UnseenPlace
	}
	a, b := Attributes(before), Attributes(after)
	if !maps.Equal(a, b) {
		return api.UnseenSettings
	}
	return ""
}

// included finds pages that are what they were but for what they include: a reusable content or a variable that
// changed meanwhile. Texts are read only when there is such a change.
func (c *DiffCache) included(ctx context.Context, was, now Range, seen, since, found map[string]ChangedItem) error {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(since)), isIncluded) {
		return nil
	}
	before, after := c.revisions[was.Revision], c.revisions[now.Revision]
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, known := found[id]; known {
			continue
		}
		same, err := c.evaluatesAlike(ctx, id, before, after)
		if err != nil {
			return err
		}
		if !same {
			found[id] = ChangedItem{id, seen[id].Title, api.UnseenIncluded}
		}
	}
	return nil
}

// isIncluded reports whether others can include it: a reusable content or a variable of the space.
func isIncluded(id string) bool {
	return strings.HasPrefix(id, ReusablePrefix) || strings.HasPrefix(id, VariableItem)
}

// evaluatesAlike reports whether a page that is the same in two revisions reads the same in both.
func (c *DiffCache) evaluatesAlike(ctx context.Context, id string, before, after Revision) (bool, error) {
	entries, err := c.Content.Get(ctx, after.Pages, id)
	if err == nil && len(entries) == 0 {
		entries, err = c.Content.Get(ctx, after.Reusables, id)
	}
	if err != nil {
		return false, fmt.Errorf("page %s: %w", id, err)
	}
	e, ok := entries[id]
	if !ok {
		return true, nil // no page, or none in both
	}
	p, err := DecodePage(id, e)
	if err != nil || p.Text == "" {
		return true, err
	}
	var read [2][]byte
	for i, r := range []Revision{before, after} {
		if read[i], err = c.evaluated(ctx, p, r); err != nil {
			return false, err
		}
	}
	return bytes.Equal(read[0], read[1]), nil
}

// evaluated is the text of a page as it reads in a revision, with what it includes in its place.
func (c *DiffCache) evaluated(ctx context.Context, p *Page, r Revision) ([]byte, error) {
	text, err := c.Content.Object(ctx, p.Text)
	if err != nil {
		return nil, fmt.Errorf("text of %s: %w", p.ID, err)
	}
	reusable, err := IncludedTexts(ctx, text, ReusableTexts(c.Content, r.Reusables))
	if err != nil {
		return nil, err
	}
	read, _ := content.Evaluate(text, content.Scope{Space: r.Variables, Page: p.Variables, Reusable: reusable})
	return read, nil
}

// SeenBy is what a verdict is about.
func SeenBy(v store.ReviewVerdict) Range { return Range{v.Base, v.Revision} }
