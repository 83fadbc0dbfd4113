package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// proposal is what a change request changes: from a revision of the space to one of its own. Nothing of what a review
// saw is stored but these two names: revisions are immutable, and so is what lies between them.
type proposal struct{ base, revision string }

// proposalOf is what a change request changes now.
func proposalOf(d store.ChangeRequestDocument, head store.Head) proposal {
	return proposal{cmp.Or(d.Fields.RevisionMergedAncestor, d.Fields.RevisionInitial), head.Revision}
}

// unseenItem is something in a proposal that is not as somebody saw it.
type unseenItem struct {
	id     string // page, reusable content, file or variable
	title  string
	reason api.UnseenReason
}

// variableItem begins the ids of the variables of a space, which have names only.
const variableItem = "variable "

// comparison compares revisions of one space, each pair once.
type comparison struct {
	server    *Server
	content   *objects.Content
	revisions map[string]revision
	changes   map[proposal]map[string]unseenItem
}

func (s *Server) compare(space string) *comparison {
	return &comparison{
		server: s, content: s.store.Content(space), revisions: map[string]revision{}, changes: map[proposal]map[string]unseenItem{},
	}
}

// unseen lists what is in the proposal now and was not in the one that was seen, or not so. What changed beside the
// proposal, as by an update that brought other pages, is not in it.
func (c *comparison) unseen(ctx context.Context, was, now proposal) ([]unseenItem, error) {
	if was == now {
		return nil, nil
	}
	seen, err1 := c.between(ctx, was)
	proposed, err2 := c.between(ctx, now)
	since, err3 := c.between(ctx, proposal{was.revision, now.revision})
	if err2 == nil && rest.IsLost(errors.Join(err1, err3)) {
		return inTitleOrder(proposed), nil // what was seen is not known any more
	}
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return nil, err
		}
	}
	found := map[string]unseenItem{}
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

func inTitleOrder(found map[string]unseenItem) []unseenItem {
	all := slices.Collect(maps.Values(found))
	slices.SortFunc(all, func(a, b unseenItem) int { return rest.OldestFirst(a.title+" "+a.id, b.title+" "+b.id) })
	return all
}

func (c *comparison) revision(ctx context.Context, id string) (r revision, err error) {
	if r, known := c.revisions[id]; known {
		return r, nil
	}
	if r, err = c.server.revision(ctx, c.content, id); err == nil {
		c.revisions[id] = r
	}
	return r, err
}

// between lists what differs between two revisions, by id: pages and reusable contents by what people see of them,
// files, and variables of the space by name.
func (c *comparison) between(ctx context.Context, p proposal) (map[string]unseenItem, error) {
	if known, ok := c.changes[p]; ok {
		return known, nil
	}
	from, err := c.revision(ctx, p.base)
	if err != nil {
		return nil, fmt.Errorf("base of a review: %w", err)
	}
	to, err := c.revision(ctx, p.revision)
	if err != nil {
		return nil, fmt.Errorf("revision of a review: %w", err)
	}
	found := map[string]unseenItem{}
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
			found[variableItem+name] = unseenItem{variableItem + name, name, api.UnseenSettings}
		}
	}
	c.changes[p] = found
	return found, nil
}

func (c *comparison) pages(ctx context.Context, roots [2]string, found map[string]unseenItem) error {
	diff, err := c.content.Diff(ctx, roots[0], roots[1])
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
			found[id] = unseenItem{id, cmp.Or(after, before).name(), reason}
		}
	}
	return nil
}

func (c *comparison) files(ctx context.Context, from, to revision, found map[string]unseenItem) error {
	diff, err := c.content.Diff(ctx, from.Files, to.Files)
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
		f, err := decodeFile(id, *entry)
		if err != nil {
			return err
		}
		found[id] = unseenItem{id, f.Name, reason}
	}
	return nil
}

// pageOf decodes one side of a change; nil is absent.
func pageOf(id string, e *objects.Entry) (*page, error) {
	if e == nil {
		return nil, nil //nolint:nilnil // absent
	}
	return decodePage(id, *e)
}

// differs says how two states of a page differ for people; "" where only times or block ids do.
func differs(before, after *page) api.UnseenReason {
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
	a, b := attributes(before), attributes(after)
	if !maps.Equal(a, b) {
		return api.UnseenSettings
	}
	return ""
}

// included finds pages that are what they were but for what they include: a reusable content or a variable that
// changed meanwhile. Texts are read only when there is such a change.
func (c *comparison) included(ctx context.Context, was, now proposal, seen, since, found map[string]unseenItem) error {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(since)), isIncluded) {
		return nil
	}
	before, after := c.revisions[was.revision], c.revisions[now.revision]
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
			found[id] = unseenItem{id, seen[id].title, api.UnseenIncluded}
		}
	}
	return nil
}

// isIncluded reports whether others can include it: a reusable content or a variable of the space.
func isIncluded(id string) bool {
	return strings.HasPrefix(id, reusablePrefix) || strings.HasPrefix(id, variableItem)
}

// evaluatesAlike reports whether a page that is the same in two revisions reads the same in both.
func (c *comparison) evaluatesAlike(ctx context.Context, id string, before, after revision) (bool, error) {
	entries, err := c.content.Get(ctx, after.Pages, id)
	if err == nil && len(entries) == 0 {
		entries, err = c.content.Get(ctx, after.Reusables, id)
	}
	if err != nil {
		return false, fmt.Errorf("page %s: %w", id, err)
	}
	e, ok := entries[id]
	if !ok {
		return true, nil // no page, or none in both
	}
	p, err := decodePage(id, e)
	if err != nil || p.Text == "" {
		return true, err
	}
	text, err := c.content.Object(ctx, p.Text)
	if err != nil {
		return false, fmt.Errorf("text of %s: %w", id, err)
	}
	var read [2][]byte
	for i, r := range []revision{before, after} {
		reusable, err := includedTexts(ctx, c.content, r.Reusables, text)
		if err != nil {
			return false, err
		}
		read[i] = content.Evaluate(text, content.Scope{Space: r.Variables, Page: p.Variables, Reusable: reusable})
	}
	return bytes.Equal(read[0], read[1]), nil
}

// seenBy is what a verdict is about.
func seenBy(v store.ReviewVerdict) proposal { return proposal{v.Base, v.Revision} }
