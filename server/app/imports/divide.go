package imports

import (
	"bytes"
	"context"
	"fmt"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
)

// division is a page that comes as several now. What the last import brought of it, and what people made of it, is cut
// where it is cut in the source: each part has a base and a version of here, and is merged as if it had always been a
// page.
type division struct {
	whole *revision.Page // as the last import brought it
	here  *revision.Page // what it keeps of its text here; nil where people took it out
}

// piece is what a new part was until now: a stretch of another page.
type piece struct {
	of         string // id of the page that it was cut from
	base, here content.Text
}

// divide finds the pages that new parts are cut from: each of the part before it that is known.
func (u *update) divide(ctx context.Context) error {
	var from *arrival
	var parts []*arrival
	for _, a := range append(u.pages, &arrival{}) {
		if from != nil && a.part != "" && u.base(a) == nil {
			parts = append(parts, a)
			continue
		}
		if len(parts) > 0 && u.before.pages[from.id] != nil {
			if err := u.divideInto(ctx, from, parts); err != nil {
				return err
			}
		}
		from, parts = a, nil
	}
	return nil
}

func (u *update) divideInto(ctx context.Context, from *arrival, parts []*arrival) error {
	whole := u.before.pages[from.id]
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
	cuts = cutAs(base, content.Identified(whole.ID, text, base), cuts)
	d, stood := &division{whole: whole}, u.draft.Start.Page(whole.ID)
	var here content.Text
	if stood != nil {
		if here, err = u.draft.Text(ctx, stood); rest.IsLost(err) {
			return nil
		} else if err != nil {
			return fmt.Errorf("page %s: %w", whole.ID, err)
		}
	}
	if err := u.cutPieces(whole, parts, base, here, cuts); err != nil {
		return err
	}
	first := *whole
	if err := u.setPiece(&first, base, 0, cuts[0]); err != nil {
		return err
	}
	if stood != nil {
		left := *stood
		left.UpdatedAt = u.now
		if err := u.setPiece(&left, here, 0, cutAs(here, base, cuts)[0]); err != nil {
			return err
		}
		d.here = &left
	}
	u.before.pages[whole.ID], u.divided[whole.ID] = &first, d
	return nil
}

// cutPieces cuts what the new parts have of a page as it came, and as it is here.
func (u *update) cutPieces(whole *revision.Page, parts []*arrival, base, here content.Text, cuts []int) (err error) {
	hereCuts := append(cutAs(here, base, cuts), len(here.Markdown))
	cuts = append(cuts, len(base.Markdown))
	for i, a := range parts {
		p := &piece{of: whole.ID}
		if p.base, err = base.Slice(a.id, cuts[i], cuts[i+1]); err != nil {
			return fmt.Errorf("part %s: %w", a.id, err)
		}
		if p.here, err = here.Slice(a.id, hereCuts[i], hereCuts[i+1]); err != nil {
			return fmt.Errorf("part %s: %w", a.id, err)
		}
		u.pieces[a.id] = p
		u.before.removed[a.id] = u.before.removed[whole.ID]
	}
	return nil
}

// cutAs cuts a text where another version of it is cut.
func cutAs(t, other content.Text, cuts []int) []int {
	made := make([]int, len(cuts))
	for i, at := range cuts {
		made[i] = t.CutAs(other, at)
		if i > 0 {
			made[i] = max(made[i], made[i-1])
		}
	}
	return made
}

func (u *update) setPiece(p *revision.Page, of content.Text, from, to int) error {
	t, err := of.Slice(p.ID, from, to)
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	return u.draft.SetText(p, t)
}

// layPiece puts what a new part was until now into the base and what is here. Its slug is new on either side, so that it
// gives way to one that is there.
func (u *update) layPiece(v revision.Versions, p *revision.Page, was *piece) error {
	for _, side := range []struct {
		tree  *revision.Tree
		text  content.Text
		there bool
	}{{v.Base.Tree, was.base, true}, {v.Ours.Tree, was.here, u.divided[was.of].here != nil}} {
		if !side.there {
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
