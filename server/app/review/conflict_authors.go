package review

import (
	"cmp"
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
)

// Limits for the search for the author of a side: revisions read, conflicts attributed, and bytes of text loaded. A
// side without an author can still be resolved.
const (
	maxTracedRevisions = 400
	maxTracedConflicts = 100
	maxTracedBytes     = 64 << 20
)

// attribution is the revision that last changed an item, and the change request it belongs to.
type attribution struct {
	revision.HistoricalRevision
	request string // id of the change request
}

// historySearch finds the latest revisions that changed a set of items. Like git blame, it follows the first parents
// and descends into merged change requests.
type historySearch struct {
	describer     *ConflictDescriber
	content       *objects.Content
	ancestor      string // revision at which the search ends
	pages         []string
	revisionsLeft int
	bytesLeft     int
	snapshots     map[string]*snapshot    // by revision
	texts         map[string]content.Text // by TextID
}

// attributeSides sets the author, time and change request of the sides of all conflicts.
func (cd *ConflictDescriber) attributeSides(ctx context.Context, c *rest.Call, d ConflictedMerge, all []description) error {
	makers := make([][2]*attribution, len(all))
	for side, line := range d.Origins {
		if line.Source != nil {
			continue
		}
		f := &historySearch{
			describer: cd, content: d.Draft.Content, ancestor: line.Until, pages: tracedPages(all), revisionsLeft: maxTracedRevisions,
			bytesLeft: maxTracedBytes,
			snapshots: map[string]*snapshot{}, texts: map[string]content.Text{},
		}
		pending := map[int]trace{}
		for i := range all[:min(len(all), maxTracedConflicts)] {
			if t := all[i].traces[side]; t.value != nil {
				pending[i] = t
			}
		}
		found, err := f.findLatest(ctx, line, pending)
		if err != nil {
			return err
		}
		for i, m := range found {
			makers[i][side] = &m
		}
	}
	requests, err := cd.readRequests(ctx, c, d.Draft.Content.Space(), makers)
	if err != nil {
		return err
	}
	c.Access(func(model *access.Model) {
		for i := range all {
			for n, side := range []*api.ConflictSide{&all[i].Ours, &all[i].Theirs} {
				cd.setAuthor(model, side, d.Origins[n], makers[i][n], requests)
			}
		}
	})
	return nil
}

// setAuthor sets the author of one side, from its import source or from the attribution m.
func (cd *ConflictDescriber) setAuthor(model *access.Model, side *api.ConflictSide, line SideOrigin, m *attribution,
	requests map[string]*api.HistoryRequest,
) {
	switch {
	case line.Source != nil:
		side.Source = &api.ConflictSource{ID: line.Source.ID, Name: line.Source.Name}
		side.By, side.At = cd.conflictAuthor(model, line.Source.Author), new(line.Source.ImportedAt)
	case m != nil:
		side.By, side.At, side.ChangeRequest = cd.conflictAuthor(model, m.Author), new(api.At(m.CreatedAt)), requests[m.request]
	}
}

func (cd *ConflictDescriber) conflictAuthor(model *access.Model, user string) *api.ConflictAuthor {
	return &api.ConflictAuthor{ID: user, DisplayName: cd.View.DisplayName(model, user)}
}

// tracedPages returns the ids of the pages whose histories are searched, without duplicates.
func tracedPages(all []description) (ids []string) {
	seen := map[string]bool{}
	for _, w := range all {
		for _, t := range w.traces {
			if t.page != "" && !seen[t.page] {
				seen[t.page] = true
				ids = append(ids, t.page)
			}
		}
	}
	return ids
}

// findLatest returns, for each item at the head of a line, the revision that last changed it. Items beyond the limits
// are absent from the result.
func (hs *historySearch) findLatest(ctx context.Context, line SideOrigin, things map[int]trace) (map[int]attribution, error) {
	found := map[int]attribution{}
	if len(things) == 0 || line.Head == "" {
		return found, nil
	}
	head, err := hs.snapshot(ctx, line.Head)
	if err != nil || head == nil {
		return found, err
	}
	pending := map[int]string{}
	for i, t := range things {
		if pending[i], err = t.value(ctx, head); err != nil {
			return found, ignoreLost(err)
		}
	}
	return found, ignoreLost(hs.searchFrom(ctx, line.Head, line.Request, things, pending, found))
}

// ignoreLost drops the error for revisions that were lost and replaced in a repair. The side then has no author.
func ignoreLost(err error) error {
	if objects.IsLost(err) {
		return nil
	}
	return err
}

// searchFrom walks back from the revision id, which has all pending items, and adds the attribution of each item to
// found.
func (hs *historySearch) searchFrom(ctx context.Context, id, request string, things map[int]trace, pending map[int]string,
	found map[int]attribution,
) error {
	for len(pending) > 0 && hs.revisionsLeft > 0 && hs.bytesLeft > 0 && id != hs.ancestor {
		hs.revisionsLeft--
		r, err := hs.snapshot(ctx, id)
		if err != nil {
			return err
		}
		left := pending
		var older map[int]string
		for n, parent := range r.Parents {
			var had map[int]string
			if had, left, err = hs.partition(ctx, parent, things, left); err != nil {
				return err
			}
			if n == 0 {
				older = had
			} else if err := hs.searchFrom(ctx, parent, r.MergedFrom, things, had, found); err != nil {
				return err
			}
		}
		for i := range left {
			found[i] = attribution{r.HistoricalRevision, cmp.Or(r.MergedFrom, request)}
		}
		if len(r.Parents) == 0 {
			return nil
		}
		id, pending = r.Parents[0], older
	}
	return nil
}

// partition divides the pending items into those that have the same value in revision id and the others.
func (hs *historySearch) partition(ctx context.Context, id string, things map[int]trace, pending map[int]string) (had, left map[int]string,
	err error,
) {
	if len(pending) == 0 {
		return nil, nil, nil
	}
	parent, err := hs.snapshot(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	had, left = map[int]string{}, map[int]string{}
	for i, current := range pending {
		old, err := things[i].value(ctx, parent)
		if err != nil {
			return nil, nil, err
		}
		if old == current {
			had[i] = current
		} else {
			left[i] = current
		}
	}
	return had, left, nil
}

// snapshot returns the traced parts of a revision, from the cache if possible.
func (hs *historySearch) snapshot(ctx context.Context, id string) (*snapshot, error) {
	if known := hs.snapshots[id]; known != nil {
		return known, nil
	}
	r, err := hs.describer.Revisions.ReadHistorical(ctx, hs.content, id)
	if err != nil {
		return nil, err
	}
	m := &snapshot{HistoricalRevision: r, search: hs, pages: map[string]*revision.Page{}}
	for _, root := range []string{r.Pages, r.Reusables} {
		if len(hs.pages) == 0 {
			break
		}
		entries, err := hs.content.Get(ctx, root, hs.pages...)
		if err != nil {
			return nil, fmt.Errorf("pages in conflict: %w", err)
		}
		for id, e := range entries {
			if m.pages[id], err = revision.DecodePage(id, e); err != nil {
				return nil, err
			}
		}
	}
	hs.snapshots[id] = m
	return m, nil
}

// pageText returns the text of a page, from the cache if possible. It is charged to the byte limit in either case.
func (hs *historySearch) pageText(ctx context.Context, p *revision.Page) (content.Text, error) {
	known, ok := hs.texts[p.TextID()]
	if !ok {
		var err error
		if known, err = revision.ReadText(ctx, hs.content, p.Text, p.Blocks); err != nil {
			return known, fmt.Errorf("page %s: %w", p.ID, err)
		}
		hs.texts[p.TextID()] = known
	}
	hs.bytesLeft -= len(known.Markdown)
	return known, nil
}

// readRequests reads the change requests of the attributions, by id.
func (cd *ConflictDescriber) readRequests(ctx context.Context, c *rest.Call, space string,
	makers [][2]*attribution,
) (map[string]*api.HistoryRequest, error) {
	ids := map[string]bool{}
	for _, pair := range makers {
		for _, m := range pair {
			if m != nil && m.request != "" {
				ids[m.request] = true
			}
		}
	}
	return cd.View.ReadRequests(ctx, c, space, ids)
}
