package imports

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
)

// mergePages merges what the source has changed since its last import into what is here. A page in conflict that nobody
// has decided stays as it is, and keeps its base: the conflict is there again the next time.
func (u *update) mergePages(ctx context.Context) error {
	theirs, err := u.theirs(ctx)
	if err != nil {
		return err
	}
	for still := 0; ; {
		laid, err := u.lay(theirs)
		if err != nil {
			return err
		}
		if v := laid.versions; u.versions[0] == nil {
			u.versions = [3]*revision.Tree{v.Base.Tree, v.Ours.Tree, v.Theirs.Tree}
		}
		merged, err := u.merged(ctx, laid)
		if err != nil {
			return err
		}
		if len(merged.Conflicts) == 0 {
			u.told(theirs)
			return u.apply(laid, merged)
		}
		hold, err := u.settle(merged.Conflicts)
		if err != nil {
			return err
		}
		before := len(u.held) + len(u.answers)
		for _, id := range hold {
			u.held[id] = true
		}
		if still++; len(u.held)+len(u.answers) > before {
			still = 0
		}
		if still == mostStill {
			u.holdAll(laid.changed)
		}
	}
}

// mostStill is how often a merge may find nothing new to hold or to answer: other answers to the same conflicts may still
// end it.
const mostStill = 8

// holdAll lets what the source has changed wait as a whole: conflicts that stay the same would go round for ever. It keeps
// its old base, so that it is there again at the next import.
func (u *update) holdAll(changed []string) {
	for _, id := range changed {
		u.held[id] = true
	}
}

// laid is what is merged.
type laid struct {
	versions revision.Versions
	changed  []string         // ids of the pages that the source has changed
	away     []*revision.Page // that were removed here, and that the source has only moved or renamed: that much is noted
}

// side is a version of the tree that differs from that of here in what is put there.
func side(t *revision.Tree) revision.Side { return revision.Side{Tree: t.Next()} }

// lay puts the base and what came into their versions of the tree, but for what is held.
func (u *update) lay(theirs []*revision.Page) (l laid, err error) {
	l.versions = revision.Versions{Base: side(u.draft.Start), Ours: side(u.draft.Start), Theirs: side(u.draft.Start)}
	base, came := l.versions.Base.Tree, l.versions.Theirs.Tree
	for id, p := range u.before.pages {
		if d := u.divided[id]; d != nil && u.held[id] {
			p = d.whole
		} else if d != nil && d.here != nil {
			l.versions.Ours.Tree.Put(d.here)
		}
		base.Put(p)
		came.Put(p)
	}
	for _, p := range theirs {
		if u.held[p.ID] {
			continue
		}
		if was := u.pieces[p.ID]; was != nil {
			if err := u.layPiece(l.versions, p, was); err != nil {
				return l, err
			}
		}
		was := base.Page(p.ID)
		if p == was {
			continue
		}
		came.Put(p)
		away := u.before.removed[p.ID] && was.Text == p.Text && was.Title == p.Title
		if away || u.lost[p.ID] {
			base.Put(p)
		}
		if away {
			l.away = append(l.away, p)
		} else {
			l.changed = append(l.changed, p.ID)
		}
	}
	return l, nil
}

func (u *update) merged(ctx context.Context, l laid) (merge.Result, error) {
	v := l.versions
	merged, err := merge.Pages(ctx, l.changed, merge.Input{
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
			hold = append(hold, u.together(c.Page)...)
			continue
		}
		if u.answers[c.ID], err = review.Decide(c, u.body.Resolutions, i); err != nil {
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
	known := u.before.pages[c.Page] != nil || u.pieces[c.Page] != nil
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
			if u.waiting(p, was) {
				u.notePages(&u.answer.Conflicting, p)
			}
		case was == nil && !u.adopted[p.ID] && !u.before.removed[p.ID]:
			u.notePages(&u.answer.Created, p)
		case p != was && !u.before.removed[p.ID] && (!elsewhere(p, was) || u.divided[p.ID] != nil):
			u.notePages(&u.answer.Updated, p)
		}
	}
}

// waiting reports whether the source says something of a held page that is not here: of a document that is held for one of
// its parts, others may be as they were.
func (u *update) waiting(p, was *revision.Page) bool {
	inConflict := slices.ContainsFunc(u.open, func(c merge.Conflict) bool { return c.Page == p.ID })
	return u.pieces[p.ID] == nil && (inConflict || u.divided[p.ID] != nil || !elsewhere(p, was))
}

// apply carries the outcome into the worktree. What was decided has the new base from now on, whichever side was taken.
func (u *update) apply(l laid, merged merge.Result) error {
	v := l.versions
	for id, d := range u.divided {
		if d.here != nil && !u.held[id] {
			u.draft.Put(d.here)
		}
	}
	if err := u.draft.Apply(v, merged); err != nil {
		return fmt.Errorf("apply an import: %w", err)
	}
	u.draft.TakeOrigins(v, l.changed)
	for _, id := range l.changed {
		if u.before.removed[id] && u.draft.Tree.Page(id) == nil {
			l.away = append(l.away, v.Theirs.Tree.Page(id))
		}
	}
	for _, p := range l.away {
		if err := u.draft.KeepRemoved(p); err != nil {
			return err
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
	return s.Reviews.Conflicts.Tell(ctx, c, d, u.open)
}

// dispute is the merge of an import as its conflicts are told.
func (u *update) dispute(at revision.Target) review.Dispute {
	here := "the space"
	if at.ChangeRequest != "" {
		here = "the change request"
	}
	from := u.source
	from.At = u.now
	return review.Dispute{
		Draft: u.draft, Revisions: [3]revision.Revision{1: u.draft.Was}, Versions: u.versions, Names: [2]string{here, "the source"},
		Lines: [2]review.Line{{Head: u.draft.From.Revision}, {Source: &from}},
	}
}
