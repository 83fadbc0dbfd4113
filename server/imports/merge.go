package imports

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/merge"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/reviews"
	"docspace.dev/wsd/server/revision"
)

// mergePages merges what the source has changed since its last import into what is here. A page in conflict that nobody
// has decided stays as it is, and keeps its base: the conflict is there again the next time.
func (u *update) mergePages(ctx context.Context) error {
	theirs, err := u.theirs(ctx)
	if err != nil {
		return err
	}
	v := revision.Versions{Base: side(u.draft.Start), Ours: revision.Side{Tree: u.draft.Start}, Theirs: side(u.draft.Start)}
	changed, err := u.lay(v, theirs)
	if err != nil {
		return err
	}
	u.versions = [3]*revision.Tree{v.Base.Tree, v.Ours.Tree, v.Theirs.Tree}
	v.Theirs.Tree = v.Theirs.Tree.Next() // from which pages are held back
	for {
		merged, err := u.merged(ctx, v, changed)
		if err != nil {
			return err
		}
		if len(merged.Conflicts) == 0 {
			u.told(theirs)
			return u.apply(v, merged, changed)
		}
		hold, err := u.settle(merged.Conflicts)
		if err != nil {
			return err
		}
		for _, id := range hold {
			u.held[id] = true
			v.Theirs.Tree.Put(v.Base.Tree.Page(id))
		}
		changed = slices.DeleteFunc(changed, func(id string) bool { return u.held[id] })
	}
}

// side is a version of the tree that differs from that of here in what is put there.
func side(t *revision.Tree) revision.Side { return revision.Side{Tree: t.Next()} }

// lay puts the base and what came into their versions of the tree, and returns the pages that the source has changed. Of a
// page that was removed here and that the source has only moved or renamed, just where it lies is noted.
func (u *update) lay(v revision.Versions, theirs []*revision.Page) (changed []string, err error) {
	for _, p := range u.before.pages {
		v.Base.Tree.Put(p)
		v.Theirs.Tree.Put(p)
	}
	for _, p := range theirs {
		was := v.Base.Tree.Page(p.ID)
		if p == was {
			continue
		}
		if u.before.removed[p.ID] && was.Text == p.Text && was.Title == p.Title {
			if err := u.draft.KeepRemoved(p); err != nil {
				return nil, err
			}
			v.Base.Tree.Put(p)
			v.Theirs.Tree.Put(p)
			continue
		}
		v.Theirs.Tree.Put(p)
		if u.lost[p.ID] {
			v.Base.Tree.Put(p)
		}
		changed = append(changed, p.ID)
	}
	return changed, nil
}

func (u *update) merged(ctx context.Context, v revision.Versions, changed []string) (merge.Result, error) {
	merged, err := merge.Pages(ctx, changed, merge.Input{
		Base: revision.ViewOf(v.Base), Ours: revision.ViewOf(v.Ours), Theirs: revision.ViewOf(v.Theirs), Resolutions: u.answers,
		Load: func(_, hash string) (content.Text, error) {
			text, blocks, _ := strings.Cut(hash, revision.TextSeparator)
			return revision.ReadText(ctx, u.draft.Content, text, blocks)
		},
	})
	if err != nil {
		return merged, fmt.Errorf("merge an import: %w", err)
	}
	return merged, nil
}

// settle answers the conflicts that need nobody, and those that the request has an answer for. It returns the pages that
// are to stay as they are: not all of their conflicts have one.
func (u *update) settle(conflicts []merge.Conflict) (hold []string, err error) {
	for _, c := range conflicts {
		if answer, ok := u.itself(c); ok {
			u.answers[c.ID] = answer
			continue
		}
		i := slices.IndexFunc(u.body.Resolutions, func(r api.Resolution) bool { return r.Conflict == c.ID })
		if i < 0 {
			hold = append(hold, c.Page)
			continue
		}
		if u.answers[c.ID], err = reviews.Decide(c, u.body.Resolutions, i); err != nil {
			return nil, err
		}
	}
	for _, c := range conflicts {
		if slices.Contains(hold, c.Page) && !u.held[c.Page] {
			u.open = append(u.open, c)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(hold))), nil
}

// itself is the answer to a conflict that needs nobody: a slug that two pages have gets a number, the order of here
// stands, and what is not the source's, or is held, stays as it is here.
func (u *update) itself(c merge.Conflict) (answer *string, ok bool) {
	_, known := u.before.pages[c.Page]
	switch {
	case c.Kind == merge.KindSlug:
		return c.Proposed, true
	case c.Kind == merge.KindOrder:
		return c.Ours, true
	case known && !u.held[c.Page]:
		return nil, false
	case c.Kind == merge.KindDeleted:
		return c.Ours, true
	default:
		return c.Proposed, true
	}
}

// told notes in the answer which pages are new, changed and in conflict.
func (u *update) told(theirs []*revision.Page) {
	for _, p := range theirs {
		was := u.before.pages[p.ID]
		switch {
		case u.held[p.ID]:
			u.notePages(&u.answer.Conflicting, p)
		case was == nil && !u.adopted[p.ID]:
			u.notePages(&u.answer.Created, p)
		case p != was && !u.before.removed[p.ID] && !elsewhere(p, was):
			u.notePages(&u.answer.Updated, p)
		}
	}
}

// apply carries the outcome into the worktree. What was decided has the new base from now on, whichever side was taken.
func (u *update) apply(v revision.Versions, merged merge.Result, changed []string) error {
	if err := u.draft.Apply(v, merged); err != nil {
		return fmt.Errorf("apply an import: %w", err)
	}
	u.draft.TakeOrigins(v, changed)
	for _, id := range changed {
		if u.before.removed[id] && u.draft.Tree.Page(id) == nil {
			if err := u.draft.KeepRemoved(v.Theirs.Tree.Page(id)); err != nil {
				return err
			}
		}
	}
	return nil
}

// conflicts are the open conflicts as the answer has them. Answers to others were meant for another state.
func (s *Service) conflicts(ctx context.Context, c *rest.Call, at revision.Target, u *update) ([]api.Conflict, error) {
	known := slices.Clone(u.open)
	for id := range u.answers {
		known = append(known, merge.Conflict{ID: id})
	}
	d := u.dispute(at)
	if err := s.Reviews.MeantForAnother(ctx, c, d, u.body.Resolutions, known); err != nil {
		return nil, err
	}
	return s.Reviews.Conflicts(ctx, c, d, u.open)
}

// dispute is the merge of an import as its conflicts are told.
func (u *update) dispute(at revision.Target) reviews.Dispute {
	here := "the space"
	if at.ChangeRequest != "" {
		here = "the change request"
	}
	from := u.source
	from.At = u.now
	return reviews.Dispute{
		Draft: u.draft, Revisions: [3]revision.Revision{1: u.draft.Was}, Versions: u.versions, Names: [2]string{here, "the source"},
		Lines: [2]reviews.Line{{Head: u.draft.From.Revision}, {Source: &from}},
	}
}
