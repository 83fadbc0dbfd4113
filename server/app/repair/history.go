package repair

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// examineHistory reports the unreadable objects of earlier revisions.
func (sr *spaceRepair) examineHistory(ctx context.Context) error {
	c := sr.env.store.Content(sr.space)
	broken, err := sr.brokenObjects(ctx, c)
	if err != nil {
		return err
	}
	rest := map[string]bool{}
	for _, hash := range broken {
		if child, _, ok := sr.findChild(hash); ok && !sr.reported[hash] {
			sr.addDamage(sr.space, Damage{
				Kind: DamagedHistory, ID: revision.RevisionPrefix +
					hash, Outcome: fmt.Sprintf("the revision before that of %s by %s stays in the history as a gap",
					child.CreatedAt.Format("2006-01-02 15:04"), child.Author),
			})
		} else if !sr.reported[hash] {
			rest[hash] = true
		}
	}
	ids := slices.SortedFunc(maps.Keys(sr.revisions), func(a, b string) int {
		if isBetterParent(sr.revisions[b], sr.revisions[a], b, a) {
			return -1
		}
		return 1
	})
	for _, id := range ids {
		if len(rest) == 0 {
			return nil
		}
		if err := sr.reportLost(ctx, c, revision.HistoricalRevision{ID: id, Revision: sr.revisions[id]}, rest); err != nil {
			return err
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(rest)) {
		sr.addDamage(sr.space, Damage{Kind: DamagedHistory, ID: hash, Outcome: "what it was is not known"})
	}
	return nil
}

// reportLost reports the unreadable objects of a revision.
func (sr *spaceRepair) reportLost(ctx context.Context, c *objects.Content, r revision.HistoricalRevision, rest map[string]bool) error {
	kinds := []struct{ kind, root string }{
		{DamagedPage, r.Pages}, {DamagedReusable, r.Reusables}, {DamagedFile, r.Files}, {DamagedLinks, r.Links},
	}
	for _, k := range kinds {
		v, err := c.Survey(ctx, k.root)
		if err != nil {
			return err
		}
		for _, hash := range v.Unreadable {
			if rest[hash] {
				delete(rest, hash)
				kind := DamagedPart
				if k.kind == DamagedLinks {
					kind = DamagedLinks
				}
				sr.addDamage(sr.space, Damage{
					Kind: kind, ID: hash, Revision: r.ID, Author: r.Author, Outcome: "this state of it is lost; later ones are complete",
				})
			}
		}
		for _, id := range slices.Sorted(maps.Keys(v.Entries)) {
			d := Damage{Kind: k.kind, ID: id, Revision: r.ID, Author: r.Author}
			if err := sr.reportLostEntry(ctx, c, d, v.Entries[id], rest); err != nil {
				return err
			}
		}
	}
	return nil
}

// reportLostEntry reports an entry of a revision if a part of it is in rest. d holds what is known of the damage without
// the entry.
func (sr *spaceRepair) reportLostEntry(ctx context.Context, c *objects.Content, d Damage, e objects.Entry, rest map[string]bool) error {
	refs := e.Refs
	if d.Kind == DamagedFile { // check the chunks as well, to which the manifest refers
		broken, err := c.Broken(ctx, refs)
		if err != nil {
			return err
		}
		refs = broken
	}
	found := false
	for _, hash := range refs {
		found = found || rest[hash]
		delete(rest, hash)
	}
	if !found {
		return nil
	}
	var named struct {
		Title   string `json:"title"`
		Derived string `json:"derived"`
		Name    string `json:"name"`
	}
	_ = json.Unmarshal(e.Value, &named) // the name is optional
	d.Name, d.GivenUp = cmp.Or(named.Name, named.Title, named.Derived), true
	d.Outcome = "this state of it is lost; later ones are complete"
	sr.addDamage(sr.space, d)
	return nil
}

// recordReverted records that a page of the space lost its text. previous is the state that it returns to.
func (hp *headPlan) recordReverted(id string, previous *revision.Page) {
	if hp.id == hp.repair.space && strings.HasPrefix(id, revision.PagePrefix) {
		hp.reverted[id] = previous
	}
}

// createDraft creates a draft change request with texts that are newer than those of the reverted pages and readable
// elsewhere: in a change request or in a revision before the lost one.
func (sr *spaceRepair) createDraft(ctx context.Context) (id string, err error) {
	if len(sr.reverted) == 0 {
		return "", nil
	}
	found := map[string]*revision.Page{}
	c := sr.env.store.Content(sr.space)
	for _, page := range slices.Sorted(maps.Keys(sr.reverted)) {
		if found[page], err = sr.newestText(ctx, c, page); err != nil {
			return "", err
		}
	}
	maps.DeleteFunc(found, func(_ string, p *revision.Page) bool { return p == nil })
	if len(found) == 0 {
		return "", nil
	}
	for range rest.MaxPlans {
		if id, err = sr.proposeTexts(ctx, found); !errors.Is(err, store.ErrHeadMoved) {
			return id, err
		}
	}
	return "", txn.ErrBusy
}

// newestText returns the newest readable state of a reverted page with another text, or nil.
func (sr *spaceRepair) newestText(ctx context.Context, c *objects.Content, id string) (*revision.Page, error) {
	reverted := sr.reverted[id]
	var best *revision.Page
	for _, r := range sr.revisions {
		entries, err := c.Get(ctx, r.Pages, id)
		e, ok := entries[id]
		if err != nil || !ok {
			continue
		}
		found, err := revision.DecodePage(id, e)
		if err != nil || found.Text == "" || found.TextID() == reverted.TextID() || !found.UpdatedAt.After(reverted.UpdatedAt.Time) {
			continue
		}
		if best != nil && !found.UpdatedAt.After(best.UpdatedAt.Time) {
			continue
		}
		if bad, err := c.Unreadable(ctx, []string{found.Text, found.Blocks}); err != nil {
			return nil, err
		} else if len(bad) == 0 {
			best = found
		}
	}
	return best, nil
}

// proposeTexts creates a draft change request with the texts of pages.
func (sr *spaceRepair) proposeTexts(ctx context.Context, texts map[string]*revision.Page) (id string, err error) {
	heads, err := sr.env.store.LoadHeads(ctx, sr.org, sr.space)
	if err != nil {
		return "", err
	}
	from := heads[sr.space]
	d, err := sr.env.revisions.OpenWorktree(ctx, sr.space, from)
	if err != nil {
		return "", err
	}
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		next := *texts[id]
		if now := d.Tree.Page(id); now != nil {
			next = *now
			next.Text, next.Blocks, next.DerivedTitle = texts[id].Text, texts[id].Blocks, texts[id].DerivedTitle
		} else if d.Tree.Page(next.Parent) == nil {
			next.Parent = ""
		}
		d.Put(&next)
	}
	head, err := d.Commit(ctx, revision.Revision{
		Type: api.RevisionEdits, Parents: []string{from.Revision}, Author: view.SystemUser, CreatedAt: sr.env.clock(),
	})
	if err != nil {
		return "", err
	}
	err = sr.env.store.Update(ctx, store.Organization(sr.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := revision.CheckHead(tx, sr.org, revision.Target{Space: sr.space}, from); err != nil {
			return err
		}
		tx.Objects(sr.space, d.Content.Staged(revision.ObjectHash(head.Revision))...)
		id, err = sr.putDraftRequest(tx, from, head, len(texts))
		return err
	})
	return id, err
}

// putDraftRequest writes the record of a draft change request.
func (sr *spaceRepair) putDraftRequest(tx *store.Tx, from, head store.Head, pages int) (id string, err error) {
	count, err := tx.Cardinality(store.RequestsKey(sr.org, sr.space))
	if err != nil {
		return "", err
	}
	number := int(count) + 1 // as for any change request
	key := store.RequestID(sr.space, number)
	d, err := tx.ChangeRequest(sr.org, key)
	if err != nil {
		return "", err
	}
	id = fmt.Sprintf("%s_%d", tx.NewID(review.ChangeRequestPrefix), number)
	d.Fields = api.ChangeRequestFields{
		Object: "change-request", ID: id, Number: number, Status: api.StatusDraft, Space: sr.space, CreatedAt: api.At(tx.Now()),
		Subject: fmt.Sprintf("Texts of %d pages that a repair has found", pages), RevisionInitial: from.Revision,
	}
	d.Private.Creator = view.SystemUser
	tx.SetHead(sr.org, key, head)
	_, err = tx.PutChangeRequest(sr.org, d, "")
	return id, err
}
