package repair

import (
	"cmp"
	"context"
	"encoding/json"
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

// lookAtHistory notes what cannot be read of earlier revisions, beyond what the heads lack.
func (p *patient) lookAtHistory(ctx context.Context) error {
	c := p.with.store.Content(p.space)
	broken, err := p.broken(ctx, c)
	if err != nil {
		return err
	}
	rest := map[string]bool{}
	for _, hash := range broken {
		if child, _, is := p.childOf(hash); is && !p.explained[hash] {
			p.add(p.space, Damage{
				Kind: DamagedHistory, ID: revision.RevisionPrefix + hash, Outcome: fmt.Sprintf("the revision before that of %s by %s stays in the history as a gap", child.At.Format("2006-01-02 15:04"), child.Author),
			})
		} else if !p.explained[hash] {
			rest[hash] = true
		}
	}
	ids := slices.SortedFunc(maps.Keys(p.known), func(a, b string) int {
		if better(p.known[b], p.known[a], b, a) {
			return -1
		}
		return 1
	})
	for _, id := range ids {
		if len(rest) == 0 {
			return nil
		}
		if err := p.explain(ctx, c, revision.Numbered{ID: id, Revision: p.known[id]}, rest); err != nil {
			return err
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(rest)) {
		p.add(p.space, Damage{Kind: DamagedHistory, ID: hash, Outcome: "what it was is not known"})
	}
	return nil
}

// explain notes the objects that a revision has and that cannot be read.
func (p *patient) explain(ctx context.Context, c *objects.Content, r revision.Numbered, rest map[string]bool) error {
	kinds := []struct{ kind, root string }{
		{DamagedPage, r.Pages}, {DamagedReusable, r.Reusables}, {DamagedFile, r.Files}, {DamagedLinks, r.Links},
	}
	for _, k := range kinds {
		v, err := c.Survey(ctx, k.root)
		if err != nil {
			return err
		}
		for _, hash := range v.Gone {
			if rest[hash] {
				delete(rest, hash)
				kind := DamagedPart
				if k.kind == DamagedLinks {
					kind = DamagedLinks
				}
				p.add(p.space, Damage{Kind: kind, ID: hash, Revision: r.ID, Author: r.Author, Outcome: "this state of it is lost; later ones are complete"})
			}
		}
		for _, id := range slices.Sorted(maps.Keys(v.Entries)) {
			if err := p.explainEntry(ctx, c, r, k.kind, id, v.Entries[id], rest); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *patient) explainEntry(ctx context.Context, c *objects.Content, r revision.Numbered, kind, id string, e objects.Entry, rest map[string]bool) error {
	refs := e.Refs
	if kind == DamagedFile { // whose manifest refers to its bytes
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
	_ = json.Unmarshal(e.Value, &named) // a name more or less
	p.add(p.space, Damage{
		Kind: kind, ID: id, Name: cmp.Or(named.Name, cmp.Or(named.Title, named.Derived)), Revision: r.ID, Author: r.Author,
		Outcome: "this state of it is lost; later ones are complete", GivenUp: true,
	})
	return nil
}

// wants notes that a page of the space lost its text: was is the state that it goes back to.
func (p *patient) wants(head, id string, was *revision.Page) {
	if head == p.space && strings.HasPrefix(id, revision.PagePrefix) {
		p.wanting[id] = was
	}
}

// draftOfWanting makes a draft change request of the texts that are newer than those that pages went back to, and
// that can be read somewhere: in a change request, or in a revision that led to what is lost.
func (p *patient) draftOfWanting(ctx context.Context) (id string, err error) {
	if len(p.wanting) == 0 {
		return "", nil
	}
	found := map[string]*revision.Page{}
	c := p.with.store.Content(p.space)
	for _, page := range slices.Sorted(maps.Keys(p.wanting)) {
		if found[page], err = p.newest(ctx, c, page); err != nil {
			return "", err
		}
	}
	maps.DeleteFunc(found, func(_ string, p *revision.Page) bool { return p == nil })
	if len(found) == 0 {
		return "", nil
	}
	for range rest.MaxPlans {
		if id, err = p.propose(ctx, found); err == nil || !strings.Contains(err.Error(), rest.ErrHeadMoved.Error()) {
			return id, err
		}
	}
	return "", txn.ErrBusy
}

// newest is the newest readable state of a page with another text than the one that it went back to.
func (p *patient) newest(ctx context.Context, c *objects.Content, id string) (*revision.Page, error) {
	was := p.wanting[id]
	var best *revision.Page
	for _, r := range p.known {
		entries, err := c.Get(ctx, r.Pages, id)
		e, ok := entries[id]
		if err != nil || !ok {
			continue
		}
		found, err := revision.DecodePage(id, e)
		if err != nil || found.Text == "" || found.TextID() == was.TextID() || !found.UpdatedAt.After(was.UpdatedAt.Time) {
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

// propose makes a draft change request with texts of pages.
func (p *patient) propose(ctx context.Context, texts map[string]*revision.Page) (id string, err error) {
	heads, err := p.with.store.HeadsOf(ctx, p.org, p.space)
	if err != nil {
		return "", err
	}
	from := heads[p.space]
	d, err := p.with.revisions.OpenWorktree(ctx, p.space, from)
	if err != nil {
		return "", err
	}
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		next := *texts[id]
		if now := d.Tree.Page(id); now != nil {
			next = *now
			next.Text, next.Blocks, next.Derived = texts[id].Text, texts[id].Blocks, texts[id].Derived
		} else if d.Tree.Page(next.Parent) == nil {
			next.Parent = ""
		}
		d.Put(&next)
	}
	head, err := d.Commit(ctx, revision.Revision{Type: api.RevisionEdits, Parents: []string{from.Revision}, Author: view.SystemUser, At: p.with.clock()})
	if err != nil {
		return "", err
	}
	err = p.with.store.Update(ctx, store.Organization(p.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := revision.AtHead(tx, p.org, revision.Target{Space: p.space}, from); err != nil {
			return err
		}
		tx.Objects(p.space, d.Content.Staged(revision.HashOf(head.Revision))...)
		id, err = p.draftRequest(tx, from, head, len(texts))
		return err
	})
	return id, err
}

// draftRequest writes the record of a draft change request.
func (p *patient) draftRequest(tx *store.Tx, from, head store.Head, pages int) (id string, err error) {
	made, err := tx.Card(store.RequestsKey(p.org, p.space))
	if err != nil {
		return "", err
	}
	number := int(made) + 1 // as for any change request
	key := store.RequestID(p.space, number)
	d, err := tx.ChangeRequest(p.org, key)
	if err != nil {
		return "", err
	}
	id = fmt.Sprintf("%s_%d", tx.NewID(review.ChangeRequestPrefix), number)
	d.Fields = api.ChangeRequestFields{
		Object: "change-request", ID: id, Number: number, Status: api.StatusDraft, Space: p.space, CreatedAt: api.At(tx.Now()),
		Subject: fmt.Sprintf("Texts of %d pages that a repair has found", pages), RevisionInitial: from.Revision,
	}
	d.Private.Creator = view.SystemUser
	tx.MoveHead(p.org, key, head)
	_, err = tx.PutChangeRequest(p.org, d, "")
	return id, err
}
