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
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Range is the range of revisions that a change request proposes: from a revision of the space to one of its own.
// Reviews store only these two ids, since revisions are immutable.
type Range struct{ Base, Revision string }

// CurrentRange returns the range that a change request proposes at its head.
func CurrentRange(d store.ChangeRequestDocument, head store.Head) Range {
	return Range{cmp.Or(d.Fields.RevisionMergedAncestor, d.Fields.RevisionInitial), head.Revision}
}

// ChangedItem is an item that differs between two revisions.
type ChangedItem struct {
	ID     string // page, reusable content, file or variable
	Title  string
	Reason api.UnseenReason
}

// VariableItemPrefix is the prefix of the item ids of space variables, which are followed by the name.
const VariableItemPrefix = "variable "

// DiffCache compares revisions of one space and caches the results. It is not safe for concurrent use.
type DiffCache struct {
	revisions *Revisions
	Content   *objects.Content
	loaded    map[string]Revision
	changes   map[Range]map[string]ChangedItem
}

// Compare returns a new DiffCache for the revisions of a space.
func (rs *Revisions) Compare(space string) *DiffCache {
	return &DiffCache{
		revisions: rs, Content: rs.store.Content(space), loaded: map[string]Revision{}, changes: map[Range]map[string]ChangedItem{},
	}
}

// UnseenChanges lists the items of the range now that are not in seenRange or differ from it, sorted by title.
// Changes outside of the ranges, such as those from an update, are not included. If seenRange is lost, all items of now are
// returned.
func (c *DiffCache) UnseenChanges(ctx context.Context, seenRange, now Range) ([]ChangedItem, error) {
	if seenRange == now {
		return nil, nil
	}
	proposed, err := c.Changes(ctx, now)
	if err != nil {
		return nil, err
	}
	var since map[string]ChangedItem
	seen, err := c.Changes(ctx, seenRange)
	if err == nil {
		since, err = c.Changes(ctx, Range{seenRange.Revision, now.Revision})
	}
	if objects.IsLost(err) {
		return sortByTitle(proposed), nil // the reviewed revision was declared lost in a repair
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
	if err := c.addIncludedChanges(ctx, seenRange, now, seen, since, found); err != nil {
		return nil, err
	}
	return sortByTitle(found), nil
}

func sortByTitle(found map[string]ChangedItem) []ChangedItem {
	all := slices.Collect(maps.Values(found))
	slices.SortFunc(all, func(a, b ChangedItem) int { return strings.Compare(a.Title+" "+a.ID, b.Title+" "+b.ID) })
	return all
}

func (c *DiffCache) revision(ctx context.Context, id string) (r Revision, err error) {
	if r, known := c.loaded[id]; known {
		return r, nil
	}
	if r, err = c.revisions.Revision(ctx, c.Content, id); err == nil {
		c.loaded[id] = r
	}
	return r, err
}

// Changes returns the items that differ between the revisions of a range, by id: pages and reusable contents with
// visible changes, files, and variables of the space.
func (c *DiffCache) Changes(ctx context.Context, p Range) (map[string]ChangedItem, error) {
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
		if err := c.comparePages(ctx, roots, found); err != nil {
			return nil, err
		}
	}
	if err := c.compareFiles(ctx, from, to, found); err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(from.Variables)), slices.Collect(maps.Keys(to.Variables))) {
		before, had := from.Variables[name]
		after, has := to.Variables[name]
		if before != after || had != has {
			found[VariableItemPrefix+name] = ChangedItem{VariableItemPrefix + name, name, api.UnseenSettings}
		}
	}
	c.changes[p] = found
	return found, nil
}

func (c *DiffCache) comparePages(ctx context.Context, roots [2]string, found map[string]ChangedItem) error {
	diff, err := c.Content.Diff(ctx, roots[0], roots[1])
	if err != nil {
		return fmt.Errorf("compare pages: %w", err)
	}
	for id, change := range diff {
		before, err := decodeSide(id, change.Before)
		if err != nil {
			return err
		}
		after, err := decodeSide(id, change.After)
		if err != nil {
			return err
		}
		if reason := unseenReason(before, after); reason != "" {
			found[id] = ChangedItem{id, cmp.Or(after, before).Name(), reason}
		}
	}
	return nil
}

func (c *DiffCache) compareFiles(ctx context.Context, from, to Revision, found map[string]ChangedItem) error {
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

// decodeSide decodes one side of a change, which may be nil.
func decodeSide(id string, e *objects.Entry) (*Page, error) {
	if e == nil {
		return nil, nil //nolint:nilnil // absent
	}
	return DecodePage(id, *e)
}

// unseenReason returns the reason why two versions of a page differ, or "" if only times or block ids differ.
func unseenReason(before, after *Page) api.UnseenReason {
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

// addIncludedChanges adds pages whose included reusable contents or variables have changed. Texts are read only if
// there is such a change.
func (c *DiffCache) addIncludedChanges(ctx context.Context, seenRange, now Range, seen, since, found map[string]ChangedItem) error {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(since)), isIncluded) {
		return nil
	}
	before, after := c.loaded[seenRange.Revision], c.loaded[now.Revision]
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, known := found[id]; known {
			continue
		}
		same, err := c.evaluatesEqually(ctx, id, before, after)
		if err != nil {
			return err
		}
		if !same {
			found[id] = ChangedItem{id, seen[id].Title, api.UnseenIncluded}
		}
	}
	return nil
}

// isIncluded reports whether an item can be included in texts: a reusable content or a variable of the space.
func isIncluded(id string) bool {
	return strings.HasPrefix(id, ReusablePrefix) || strings.HasPrefix(id, VariableItemPrefix)
}

// evaluatesEqually reports whether a page evaluates to the same text in both revisions. The page itself must be equal
// in both.
func (c *DiffCache) evaluatesEqually(ctx context.Context, id string, before, after Revision) (bool, error) {
	entries, err := c.Content.Get(ctx, after.Pages, id)
	if err == nil && len(entries) == 0 {
		entries, err = c.Content.Get(ctx, after.Reusables, id)
	}
	if err != nil {
		return false, fmt.Errorf("page %s: %w", id, err)
	}
	e, ok := entries[id]
	if !ok {
		return true, nil // not a page, or absent in both
	}
	p, err := DecodePage(id, e)
	if err != nil || p.Text == "" {
		return true, err
	}
	var read [2][]byte
	for i, r := range []Revision{before, after} {
		if read[i], err = c.evaluateText(ctx, p, r); err != nil {
			return false, err
		}
	}
	return bytes.Equal(read[0], read[1]), nil
}

// evaluateText returns the text of a page in a revision with its includes and variables evaluated.
func (c *DiffCache) evaluateText(ctx context.Context, p *Page, r Revision) ([]byte, error) {
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

// ReviewedRange returns the range that a verdict refers to.
func ReviewedRange(v store.ReviewVerdict) Range { return Range{v.Base, v.Revision} }
