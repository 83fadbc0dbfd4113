package imports

import (
	"bytes"
	"context"
	"fmt"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// splitPage is a page that is now split into several. Its last imported text and its current text are cut at the same
// positions as the source's text, so that each part is merged as if it had always been a page.
type splitPage struct {
	base    *revision.Page // as last imported
	current *revision.Page // current page with the text that remains in it; nil if users removed it
}

// partText is the base and current text of a new part, cut from another page.
type partText struct {
	pageID        string // id of the page it was cut from
	base, current content.Text
}

// divide divides the pages from which new parts were cut: each new part belongs to the nearest preceding part that has been
// imported before.
func (u *update) divide(ctx context.Context) error {
	var from *incomingPage
	var parts []*incomingPage
	for _, a := range append(u.pages, &incomingPage{}) {
		if from != nil && a.part != "" && u.basePage(a) == nil {
			parts = append(parts, a)
			continue
		}
		if len(parts) > 0 && u.last.pages[from.id] != nil {
			if err := u.divideInto(ctx, from, parts); err != nil {
				return err
			}
		}
		from, parts = a, nil
	}
	return nil
}

func (u *update) divideInto(ctx context.Context, from *incomingPage, parts []*incomingPage) error {
	whole := u.last.pages[from.id]
	base, err := u.baseText(ctx, whole)
	if err != nil || u.lost[whole.ID] || len(base.Markdown) == 0 || u.unread[from.path] {
		return err
	}
	var cuts []int
	text := bytes.Clone(from.markdown)
	for _, a := range parts {
		cuts = append(cuts, len(text))
		text = append(text, a.markdown...)
	}
	cuts = alignCuts(base, content.ParseUnlimited(whole.ID, text, base), cuts)
	d, stood := &splitPage{base: whole}, u.draft.BaseTree.Page(whole.ID)
	var here content.Text
	if stood != nil {
		if here, err = u.draft.Text(ctx, stood); err != nil {
			return fmt.Errorf("page %s: %w", whole.ID, err)
		}
	}
	if err := u.cutParts(whole, parts, base, here, cuts); err != nil {
		return err
	}
	first := *whole
	if err := u.setSlice(&first, base, 0, cuts[0]); err != nil {
		return err
	}
	if stood != nil {
		left := *stood
		left.UpdatedAt = u.now
		if err := u.setSlice(&left, here, 0, alignCuts(here, base, cuts)[0]); err != nil {
			return err
		}
		d.current = &left
	}
	u.last.pages[whole.ID], u.divisions[whole.ID] = &first, d
	return nil
}

// cutParts cuts the base and the current text of a page into the texts of its new parts.
func (u *update) cutParts(whole *revision.Page, parts []*incomingPage, base, here content.Text, cuts []int) (err error) {
	hereCuts := append(alignCuts(here, base, cuts), len(here.Markdown))
	cuts = append(cuts, len(base.Markdown))
	for i, a := range parts {
		p := &partText{pageID: whole.ID}
		if p.base, err = base.Slice(a.id, cuts[i], cuts[i+1]); err != nil {
			return fmt.Errorf("part %s: %w", a.id, err)
		}
		if p.current, err = here.Slice(a.id, hereCuts[i], hereCuts[i+1]); err != nil {
			return fmt.Errorf("part %s: %w", a.id, err)
		}
		u.partTexts[a.id] = p
		u.last.removed[a.id] = u.last.removed[whole.ID]
	}
	return nil
}

// alignCuts returns the positions in other that correspond to the cuts of t.
func alignCuts(t, other content.Text, cuts []int) []int {
	made := make([]int, len(cuts))
	for i, at := range cuts {
		made[i] = t.MatchingCut(other, at)
		if i > 0 {
			made[i] = max(made[i], made[i-1])
		}
	}
	return made
}

func (u *update) setSlice(p *revision.Page, of content.Text, from, to int) error {
	t, err := of.Slice(p.ID, from, to)
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	return u.draft.SetText(p, t)
}

// putPart adds the base and current version of a new part to the merge. Its slug counts as new on both sides, so it
// yields to existing ones.
func (u *update) putPart(v revision.Versions, p *revision.Page, was *partText) error {
	for _, side := range []struct {
		tree   *revision.Tree
		text   content.Text
		exists bool
	}{{v.Base.Tree, was.base, true}, {v.Ours.Tree, was.current, u.divisions[was.pageID].current != nil}} {
		if !side.exists {
			continue
		}
		then := *p
		then.Slug = ""
		if err := u.draft.SetText(&then, side.text); err != nil {
			return err
		}
		side.tree.Put(&then)
	}
	return nil
}
