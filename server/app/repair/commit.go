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

// repair moves the heads of the space to readable revisions, replaces lost objects, and creates a draft change
// request with texts that are readable elsewhere. It returns the id of the draft, if any.
func (sr *spaceRepair) repair(ctx context.Context) (draft string, err error) {
	for range rest.MaxPlans {
		if err = sr.moveHeads(ctx); !errors.Is(err, store.ErrHeadMoved) {
			break
		}
		if err := sr.examine(ctx); err != nil { // plan again, because the space was changed in the meantime
			return "", err
		}
	}
	if err != nil {
		return "", err
	}
	if err := sr.replaceLost(ctx); err != nil {
		return "", err
	}
	sr.env.store.ForgetContent(sr.space)
	return sr.createDraft(ctx)
}

// moveHeads commits the planned revision of every head. It returns ErrHeadMoved if afterwards any other head differs from the
// examined one or is new, since a change request may have been created from the damaged content.
func (sr *spaceRepair) moveHeads(ctx context.Context) error {
	want := map[string]string{}
	for id, head := range sr.heads {
		want[id] = head.String()
	}
	for _, hp := range sr.plans {
		head, err := hp.commit(ctx)
		if err != nil {
			return err
		}
		want[hp.id] = head.String()
		maps.Copy(sr.reverted, hp.reverted)
	}
	heads, err := sr.env.store.LoadHeads(ctx, sr.org, sr.space)
	if err != nil {
		return err
	}
	same := maps.EqualFunc(heads, want, func(head store.Head, text string) bool { return head.String() == text })
	if !same {
		return store.ErrHeadMoved
	}
	return nil
}

// commit moves the head to the planned revision and returns it.
func (hp *headPlan) commit(ctx context.Context) (head store.Head, err error) {
	p := hp.repair
	err = p.env.store.Update(ctx, store.Organization(p.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		now, ok, err := tx.Head(p.org, hp.id)
		if err != nil {
			return err
		}
		if !ok || now.String() != hp.from.String() {
			return store.ErrHeadMoved
		}
		r := revision.Revision{Type: api.RevisionRollback, Parents: []string{hp.from.Revision}, CreatedAt: tx.Now()}
		if hp.base != nil {
			base, err := hp.base.build(ctx, revision.Revision{
				Type: api.RevisionRollback, Parents: []string{hp.base.from.Revision}, CreatedAt: tx.Now(),
			})
			if err != nil {
				return err
			}
			tx.Objects(p.space, hp.base.content.Staged(revision.ObjectHash(base.Revision))...)
			r.Type, r.Parents = api.RevisionUpdate, append(r.Parents, base.Revision)
			if err := hp.rebase(tx, base.Revision); err != nil {
				return err
			}
		}
		if head, err = hp.build(ctx, r); err != nil {
			return err
		}
		tx.Objects(p.space, hp.content.Staged(revision.ObjectHash(head.Revision))...)
		tx.Event(hp.event(tx, head))
		if hp.id != p.space {
			return tx.SetRequestHead(p.org, hp.id, head)
		}
		tx.SetHead(p.org, hp.id, head)
		return nil
	})
	return head, err
}

// event returns the fields of the event for the repair.
func (hp *headPlan) event(tx *store.Tx, head store.Head) map[string]string {
	fields := map[string]string{
		"type": "content.repair", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "actor": view.SystemUser,
		"id": head.Revision, "space": hp.repair.space,
	}
	if r, ok := hp.repair.requests[hp.id]; ok {
		fields["changeRequest"] = r.Fields.ID
	}
	return fields
}

// rebase sets the common revision of a change request and its space.
func (hp *headPlan) rebase(tx *store.Tx, base string) error {
	d, err := tx.ChangeRequest(hp.repair.org, hp.id)
	if err != nil || d.Version == 0 {
		return rest.NotFoundIfNil(err)
	}
	d.Fields.RevisionMergedAncestor = base
	_, err = tx.PutChangeRequest(hp.repair.org, d, d.Fields.Status)
	return err
}

// build stages the planned revision and its objects and returns its head.
func (hp *headPlan) build(ctx context.Context, r revision.Revision) (head store.Head, err error) {
	d := hp.repair.env.revisions.NewWorktree(hp.repair.space, store.Head{})
	d.Content = hp.content
	if err := hp.buildTree(d); err != nil {
		return head, err
	}
	if r.Pages, err = buildPageMap(hp.content, hp.pages); err != nil {
		return head, err
	}
	if r.Reusables, err = buildPageMap(hp.content, hp.reusables); err != nil {
		return head, err
	}
	r.Files = hp.content.BuildMap(hp.files)
	r.Sources, r.Specs = hp.sources, hp.specs
	if !hp.linksLost {
		d.Links.Roots = []string{hp.from.Links}
	}
	if r.Links, err = d.WriteLinks(ctx); err != nil {
		return head, err
	}
	r.Author, r.Variables, r.Number, r.CreatedAt = view.SystemUser, hp.current.Variables, hp.current.Number+1, api.At(r.CreatedAt).UTC()
	o, err := r.Object()
	if err != nil {
		return head, err
	}
	return store.Head{
		Revision: revision.RevisionPrefix + hp.content.Stage(o), Pages: r.Pages, Files: r.Files, Links: r.Links, MovedAt: r.CreatedAt,
	}, nil
}

// buildPageMap builds a map of pages and returns its root.
func buildPageMap(c *objects.Content, pages map[string]*revision.Page) (root string, err error) {
	entries := make(map[string]objects.Entry, len(pages))
	for id, p := range pages {
		if entries[id], err = p.Entry(); err != nil {
			return "", err
		}
	}
	return c.BuildMap(entries), nil
}

// buildTree assembles the tree of the planned pages. Pages whose parent is lost are moved to the top level.
func (hp *headPlan) buildTree(d *revision.Worktree) error {
	for id, t := range hp.rebuiltTexts {
		for _, pages := range []map[string]*revision.Page{hp.pages, hp.reusables} {
			if p := pages[id]; p != nil {
				if err := d.SetText(p, t); err != nil {
					return err
				}
			}
		}
	}
	for id, t := range hp.importedTexts {
		came := *hp.pages[id]
		if err := d.SetText(&came, t); err != nil {
			return err
		}
		hp.pages[id].Origin.Text, hp.pages[id].Origin.Blocks = came.Text, came.Blocks
	}
	for id, p := range hp.pages {
		seen := map[string]bool{id: true}
		for at := p.Parent; at != ""; {
			above := hp.pages[at]
			if above == nil || seen[at] || len(seen) > revision.MaxPageDepth {
				p.Parent = ""
				break
			}
			seen[at], at = true, above.Parent
		}
	}
	var placed []*revision.Page
	for _, id := range slices.Sorted(maps.Keys(hp.pages)) {
		if p := hp.pages[id]; p.Order != "" {
			placed = append(placed, p)
		}
	}
	d.Tree.Assemble(placed)
	for _, id := range slices.Sorted(maps.Keys(hp.pages)) {
		p := hp.pages[id]
		if p.Order != "" {
			continue
		}
		p.Slug = d.UniqueSlug("", id, p.Slug)
		order, err := d.Order("", id, -1)
		if err != nil {
			return fmt.Errorf("place of %s: %w", id, err)
		}
		p.Order = order
		d.Tree.Put(p)
	}
	return nil
}

// replaceLost replaces all unreadable objects that the heads do not show. Replacements of revisions may lead to
// further unreadable objects, so it repeats until there are none.
func (sr *spaceRepair) replaceLost(ctx context.Context) error {
	c := sr.env.store.Content(sr.space)
	for {
		broken, err := sr.brokenObjects(ctx, c)
		if err != nil || len(broken) == 0 {
			return err
		}
		lost := map[string]objects.Placeholder{}
		for _, hash := range broken {
			if lost[hash], err = sr.replacement(hash); err != nil {
				return err
			}
		}
		if err := sr.env.store.ReplaceLost(ctx, sr.space, lost); err != nil {
			return err
		}
	}
}

// brokenObjects returns the unreadable objects that the current heads refer to.
func (sr *spaceRepair) brokenObjects(ctx context.Context, c *objects.Content) ([]string, error) {
	heads, err := sr.env.store.LoadHeads(ctx, sr.org, sr.space)
	if err != nil {
		return nil, err
	}
	var roots []string
	for _, head := range heads {
		// a lost revision does not refer to them
		for _, root := range []string{revision.ObjectHash(head.Revision), head.Pages, head.Files, head.Links} {
			if root != "" {
				roots = append(roots, root)
			}
		}
	}
	slices.Sort(roots)
	return c.Broken(ctx, slices.Compact(roots))
}

// replacement returns the replacement of an object. For a revision it contains what is known of it and its presumed
// parent.
func (sr *spaceRepair) replacement(hash string) (objects.Placeholder, error) {
	child, line, ok := sr.findChild(hash)
	if !ok {
		return objects.Placeholder{}, nil
	}
	r := revision.Revision{Type: api.RevisionEdits, Author: view.SystemUser, CreatedAt: child.CreatedAt, Number: max(child.Number-1, 1)}
	var refs []string
	if before := sr.guessParent(line, revision.RevisionPrefix+hash, child); before != "" {
		r.Parents, refs = []string{before}, []string{revision.ObjectHash(before)}
		r.Number = max(sr.revisions[before].Number+1, r.Number)
	}
	note, err := json.Marshal(revision.LostNote{Revision: &r})
	if err != nil {
		return objects.Placeholder{}, fmt.Errorf("note of %s: %w", hash, err)
	}
	return objects.Placeholder{Refs: refs, Note: note}, nil
}

// findChild finds a revision with the lost one as parent, and the head in whose history it is.
func (sr *spaceRepair) findChild(hash string) (child revision.Revision, line string, found bool) {
	id := revision.RevisionPrefix + hash
	for _, name := range slices.Sorted(maps.Keys(sr.heads)) {
		head := sr.heads[name]
		if head.Revision == id {
			return revision.Revision{CreatedAt: head.MovedAt}, name, true
		}
		for at := head.Revision; at != ""; {
			r, ok := sr.revisions[at]
			if !ok || len(r.Parents) == 0 {
				break
			}
			if r.Parents[0] == id {
				return r, name, true
			}
			at = r.Parents[0]
		}
	}
	for _, r := range sr.revisions {
		if slices.Contains(r.Parents, id) {
			return r, sr.space, true
		}
	}
	return child, "", false
}
