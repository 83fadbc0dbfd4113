package repair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// mend moves the heads of a space to what can be read, lets something stand in the place of what is lost, and makes a
// draft change request of what is readable of it elsewhere.
func (p *patient) mend(ctx context.Context) (draft string, err error) {
	for range rest.MaxPlans {
		if err = p.moveHeads(ctx); !errors.Is(err, rest.ErrHeadMoved) {
			break
		}
		if err := p.examine(ctx); err != nil { // somebody wrote meanwhile
			return "", err
		}
	}
	if err != nil {
		return "", err
	}
	if err := p.giveUp(ctx); err != nil {
		return "", err
	}
	p.with.store.ForgetContent(p.space)
	return p.draftOfWanting(ctx)
}

// moveHeads commits the next revision of every head that needs one.
func (p *patient) moveHeads(ctx context.Context) error {
	for len(p.plans) > 0 {
		if err := p.plans[0].commit(ctx); err != nil {
			return err
		}
		p.plans = p.plans[1:]
	}
	return nil
}

func (h *headPlan) commit(ctx context.Context) error {
	p := h.patient
	return p.with.store.Update(ctx, store.Organization(p.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		now, ok, err := tx.Head(p.org, h.id)
		if err != nil {
			return err
		}
		if !ok || now.String() != h.from.String() {
			return rest.ErrHeadMoved
		}
		r := revision.Revision{Type: api.RevisionRollback, Parents: []string{h.from.Revision}, At: tx.Now()}
		if h.base != nil {
			base, err := h.base.seal(ctx, revision.Revision{Type: api.RevisionRollback, Parents: []string{h.base.from.Revision}, At: tx.Now()})
			if err != nil {
				return err
			}
			tx.Objects(p.space, h.base.content.Staged(revision.HashOf(base.Revision))...)
			r.Type, r.Parents = api.RevisionUpdate, append(r.Parents, base.Revision)
			if err := h.rebase(tx, base.Revision); err != nil {
				return err
			}
		}
		head, err := h.seal(ctx, r)
		if err != nil {
			return err
		}
		tx.Objects(p.space, h.content.Staged(revision.HashOf(head.Revision))...)
		tx.Event(h.event(tx, head))
		if h.id != p.space {
			return tx.MoveRequestHead(p.org, h.id, head)
		}
		tx.MoveHead(p.org, h.id, head)
		return nil
	})
}

// event tells what was repaired.
func (h *headPlan) event(tx *store.Tx, head store.Head) map[string]string {
	fields := map[string]string{
		"type": "content.repair", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "actor": view.SystemUser, "role": string(api.RoleComment),
		"id": head.Revision, "space": h.patient.space,
	}
	if r, ok := h.patient.requests[h.id]; ok {
		fields["changeRequest"] = r.Fields.ID
	}
	return fields
}

// rebase makes a revision the one that a change request has in common with the space.
func (h *headPlan) rebase(tx *store.Tx, base string) error {
	d, err := tx.ChangeRequest(h.patient.org, h.id)
	if err != nil || d.Version == 0 {
		return rest.Missing(err)
	}
	d.Fields.RevisionMergedAncestor = base
	_, err = tx.PutChangeRequest(h.patient.org, d, d.Fields.Status)
	return err
}

// seal makes the revision of a plan. Its objects are staged.
func (h *headPlan) seal(ctx context.Context, r revision.Revision) (head store.Head, err error) {
	d := h.patient.with.revisions.NewWorktree(h.patient.space, store.Head{})
	d.Content = h.content
	if err := h.assemble(d); err != nil {
		return head, err
	}
	if r.Pages, err = mapOf(h.content, h.pages); err != nil {
		return head, err
	}
	if r.Reusables, err = mapOf(h.content, h.reusables); err != nil {
		return head, err
	}
	r.Files = h.content.BuildMap(h.files)
	if r.Sources, err = h.sources(ctx); err != nil {
		return head, err
	}
	if r.Specs, err = h.specs(ctx); err != nil {
		return head, err
	}
	if !h.linksGone {
		d.Links.Roots = []string{h.from.Links}
	}
	if r.Links, err = d.SealLinks(ctx); err != nil {
		return head, err
	}
	r.Author, r.Variables, r.Number, r.At = view.SystemUser, h.was.Variables, h.was.Number+1, api.At(r.At).UTC()
	o, err := r.Object()
	if err != nil {
		return head, err
	}
	return store.Head{Revision: revision.RevisionPrefix + h.content.Stage(o), Pages: r.Pages, Files: r.Files, Links: r.Links, At: r.At}, nil
}

// sources is the map of sources, if all of it is there. Without it the next import of each begins anew.
func (h *headPlan) sources(ctx context.Context) (root string, err error) {
	if h.was.Sources == "" {
		return "", nil
	}
	whole, err := h.content.Whole(ctx, []string{h.was.Sources})
	if err != nil || !whole {
		return "", err
	}
	return h.was.Sources, nil
}

// specs are the versions of specifications whose documents are there. Pages of the others are made of the newest ones.
func (h *headPlan) specs(ctx context.Context) (map[string]revision.SpecVersion, error) {
	kept := map[string]revision.SpecVersion{}
	for name, v := range h.was.Specs {
		whole, err := h.content.Whole(ctx, []string{v.Bundle})
		if err != nil {
			return nil, err
		}
		if whole {
			kept[name] = v
		}
	}
	return kept, nil
}

// mapOf makes a map of pages.
func mapOf(c *objects.Content, pages map[string]*revision.Page) (root string, err error) {
	entries := make(map[string]objects.Entry, len(pages))
	for id, p := range pages {
		if entries[id], err = p.Entry(); err != nil {
			return "", err
		}
	}
	return c.BuildMap(entries), nil
}

// assemble makes the tree of the plan's pages, in which each has a place: where its parent is gone, at the top.
func (h *headPlan) assemble(d *revision.Worktree) error {
	for id, t := range h.texts {
		for _, pages := range []map[string]*revision.Page{h.pages, h.reusables} {
			if p := pages[id]; p != nil {
				if err := d.SetText(p, t); err != nil {
					return err
				}
			}
		}
	}
	for id, t := range h.came {
		came := *h.pages[id]
		if err := d.SetText(&came, t); err != nil {
			return err
		}
		h.pages[id].Origin.Text, h.pages[id].Origin.Blocks = came.Text, came.Blocks
	}
	for id, p := range h.pages {
		seen := map[string]bool{id: true}
		for at := p.Parent; at != ""; {
			above := h.pages[at]
			if above == nil || seen[at] || len(seen) > revision.MaxPageDepth {
				p.Parent = ""
				break
			}
			seen[at], at = true, above.Parent
		}
	}
	var placed []*revision.Page
	for _, id := range slices.Sorted(maps.Keys(h.pages)) {
		if p := h.pages[id]; p.Order != "" {
			placed = append(placed, p)
		}
	}
	d.Tree.Assemble(placed)
	for _, id := range slices.Sorted(maps.Keys(h.pages)) {
		p := h.pages[id]
		if p.Order != "" {
			continue
		}
		p.Slug = d.FreeSlug("", id, p.Slug)
		order, err := d.Order("", id, -1)
		if err != nil {
			return fmt.Errorf("place of %s: %w", id, err)
		}
		p.Order = order
		d.Tree.Put(p)
	}
	return nil
}

// giveUp lets something stand in the place of all that cannot be read and that nobody shows any more. Behind what
// stands for a revision there may be more.
func (p *patient) giveUp(ctx context.Context) error {
	c := p.with.store.Content(p.space)
	for {
		broken, err := p.broken(ctx, c)
		if err != nil || len(broken) == 0 {
			return err
		}
		lost := map[string]objects.Lost{}
		for _, hash := range broken {
			if lost[hash], err = p.standIn(hash); err != nil {
				return err
			}
		}
		if err := p.with.store.GiveUp(ctx, p.space, lost); err != nil {
			return err
		}
	}
}

// broken are the objects that the heads of now reach and that cannot be read.
func (p *patient) broken(ctx context.Context, c *objects.Content) ([]string, error) {
	heads, err := p.with.store.HeadsOf(ctx, p.org, p.space)
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, head := range heads {
		for _, root := range []string{revision.HashOf(head.Revision), head.Pages, head.Files, head.Links} { // a revision that is lost leads nowhere
			if root != "" {
				roots = append(roots, root)
			}
		}
	}
	slices.Sort(roots)
	return c.Broken(ctx, slices.Compact(roots))
}

// standIn is what is put in the place of an object: for a revision what is known of it, and what came before.
func (p *patient) standIn(hash string) (objects.Lost, error) {
	child, line, is := p.childOf(hash)
	if !is {
		return objects.Lost{}, nil
	}
	r := revision.Revision{Type: api.RevisionEdits, Author: view.SystemUser, At: child.At, Number: max(child.Number-1, 1)}
	var refs []string
	if before := p.before(line, revision.RevisionPrefix+hash, child); before != "" {
		r.Parents, refs = []string{before}, []string{revision.HashOf(before)}
		r.Number = max(p.known[before].Number+1, r.Number)
	}
	note, err := json.Marshal(revision.LostNote{Revision: &r})
	if err != nil {
		return objects.Lost{}, fmt.Errorf("note of %s: %w", hash, err)
	}
	return objects.Lost{Refs: refs, Note: note}, nil
}

// childOf finds the revision that a lost one led to, and the head in whose line it was.
func (p *patient) childOf(hash string) (child revision.Revision, line string, is bool) {
	id := revision.RevisionPrefix + hash
	for _, name := range slices.Sorted(maps.Keys(p.heads)) {
		head := p.heads[name]
		if head.Revision == id {
			return revision.Revision{At: head.At}, name, true
		}
		for at := head.Revision; at != ""; {
			r, ok := p.known[at]
			if !ok || len(r.Parents) == 0 {
				break
			}
			if r.Parents[0] == id {
				return r, name, true
			}
			at = r.Parents[0]
		}
	}
	for _, r := range p.known {
		if slices.Contains(r.Parents, id) {
			return r, p.space, true
		}
	}
	return child, "", false
}
