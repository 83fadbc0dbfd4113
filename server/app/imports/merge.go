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

// mergePages merges the changes of the source since its last import into the current content. A page with an
// unresolved conflict keeps its text and its base, so the next import reports the conflict again.
func (u *update) mergePages(ctx context.Context) error {
	theirs, err := u.incomingPages(ctx)
	if err != nil {
		return err
	}
	for still := 0; ; {
		laid, err := u.prepareMerge(theirs)
		if err != nil {
			return err
		}
		if v := laid.versions; u.versions[0] == nil {
			u.versions = [3]*revision.Tree{v.Base.Tree, v.Ours.Tree, v.Theirs.Tree}
		}
		merged, err := u.merge(ctx, laid)
		if err != nil {
			return err
		}
		if len(merged.Conflicts) == 0 {
			u.reportPages(theirs)
			return u.apply(laid, merged)
		}
		hold, err := u.resolve(merged.Conflicts)
		if err != nil {
			return err
		}
		before := len(u.held) + len(u.resolutions)
		for _, id := range hold {
			u.held[id] = true
		}
		if still++; len(u.held)+len(u.resolutions) > before {
			still = 0
		}
		if still == maxIdleRounds {
			u.holdAll(laid.changed)
		}
	}
}

// maxIdleRounds is the maximum number of consecutive merge rounds that hold no further page and find no further
// resolution. Different resolutions of the same conflicts may still complete the merge.
const maxIdleRounds = 8

// holdAll holds all changed pages because resolving the conflicts does not terminate. The pages keep their base, so
// the next import reports them again.
func (u *update) holdAll(changed []string) {
	for _, id := range changed {
		u.held[id] = true
	}
}

// mergeInput holds the versions to merge and the pages that the source has changed.
type mergeInput struct {
	versions  revision.Versions
	changed   []string         // ids of the pages that the source has changed
	movedOnly []*revision.Page // pages that users removed and that were only moved or renamed in the source
}

// newSide returns a side of the merge that starts with the pages of the current tree.
func newSide(t *revision.Tree) revision.Side { return revision.Side{Tree: t.Next()} }

// prepareMerge returns the sides of the merge: the last imported pages as the base, the current pages, and the incoming pages
// except the held ones.
func (u *update) prepareMerge(theirs []*revision.Page) (l mergeInput, err error) {
	l.versions = revision.Versions{Base: newSide(u.draft.BaseTree), Ours: newSide(u.draft.BaseTree), Theirs: newSide(u.draft.BaseTree)}
	base, came := l.versions.Base.Tree, l.versions.Theirs.Tree
	for id, p := range u.last.pages {
		if d := u.divisions[id]; d != nil && u.held[id] {
			p = d.base
		} else if d != nil && d.current != nil {
			l.versions.Ours.Tree.Put(d.current)
		}
		base.Put(p)
		came.Put(p)
	}
	for _, p := range theirs {
		if u.held[p.ID] {
			continue
		}
		if was := u.partTexts[p.ID]; was != nil {
			if err := u.putPart(l.versions, p, was); err != nil {
				return l, err
			}
		}
		was := base.Page(p.ID)
		if p == was {
			continue
		}
		came.Put(p)
		away := u.last.removed[p.ID] && was.Text == p.Text && was.Title == p.Title
		if away || u.lost[p.ID] {
			base.Put(p)
		}
		if away {
			l.movedOnly = append(l.movedOnly, p)
		} else {
			l.changed = append(l.changed, p.ID)
		}
	}
	return l, nil
}

func (u *update) merge(ctx context.Context, l mergeInput) (merge.Result, error) {
	v := l.versions
	merged, err := merge.Pages(ctx, l.changed, merge.Input{
		Base: revision.NewMergeView(v.Base), Ours: revision.NewMergeView(v.Ours), Theirs: revision.NewMergeView(v.Theirs),
		Resolutions: u.resolutions,
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

// resolve applies the default and the requested resolutions of conflicts. It returns the ids of the pages to hold because they
// still have a conflict.
func (u *update) resolve(conflicts []merge.Conflict) (hold []string, err error) {
	for _, c := range conflicts {
		if answer, ok := u.defaultResolution(c); ok {
			u.resolutions[c.ID] = answer
			continue
		}
		i := slices.IndexFunc(u.body.Resolutions, func(r api.Resolution) bool { return r.Conflict == c.ID })
		if i < 0 {
			hold = append(hold, u.documentParts(c.Page)...)
			continue
		}
		if u.resolutions[c.ID], err = review.ResolutionValue(c, u.body.Resolutions, i); err != nil {
			return nil, err
		}
	}
	for _, c := range conflicts {
		if slices.Contains(hold, c.Page) && !u.held[c.Page] {
			u.openConflicts = append(u.openConflicts, c)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(hold))), nil
}

// defaultResolution returns the resolution of a conflict that needs no decision: equal slugs get a number, the current order is
// kept, and pages that are held or do not belong to the source stay unchanged.
func (u *update) defaultResolution(c merge.Conflict) (answer *string, ok bool) {
	known := u.last.pages[c.Page] != nil || u.partTexts[c.Page] != nil
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

// reportPages adds the new, changed and conflicting pages to the result.
func (u *update) reportPages(theirs []*revision.Page) {
	for _, p := range theirs {
		was := u.last.pages[p.ID]
		switch {
		case u.held[p.ID]:
			if u.isPending(p, was) {
				u.notePages(&u.result.Conflicting, p)
			}
		case was == nil && !u.adopted[p.ID] && !u.last.removed[p.ID]:
			u.notePages(&u.result.Created, p)
		case p != was && !u.last.removed[p.ID] && (!onlyOtherPartsChanged(p, was) || u.divisions[p.ID] != nil):
			u.notePages(&u.result.Updated, p)
		}
	}
}

// isPending reports whether the source has changes of a held page that are not merged. The unchanged parts of a held
// document have none.
func (u *update) isPending(p, was *revision.Page) bool {
	inConflict := slices.ContainsFunc(u.openConflicts, func(c merge.Conflict) bool { return c.Page == p.ID })
	return u.partTexts[p.ID] == nil && (inConflict || u.divisions[p.ID] != nil || !onlyOtherPartsChanged(p, was))
}

// apply writes the merged pages to the worktree. Resolved pages get a new base, whichever side was taken.
func (u *update) apply(l mergeInput, merged merge.Result) error {
	v := l.versions
	for id, d := range u.divisions {
		if d.current != nil && !u.held[id] {
			u.draft.Put(d.current)
		}
	}
	if err := u.draft.Apply(v, merged); err != nil {
		return fmt.Errorf("apply an import: %w", err)
	}
	u.draft.MergeOrigins(v, l.changed)
	for _, id := range l.changed {
		if u.last.removed[id] && u.draft.Tree.Page(id) == nil {
			l.movedOnly = append(l.movedOnly, v.Theirs.Tree.Page(id))
		}
	}
	for _, p := range l.movedOnly {
		if err := u.draft.RecordRemovedPage(p); err != nil {
			return err
		}
	}
	return nil
}

// describeConflicts returns the JSON form of the open conflicts. Resolutions of other conflicts are dropped: they belong
// to an earlier state.
func (s *Service) describeConflicts(ctx context.Context, c *rest.Call, target revision.Target, u *update) ([]api.Conflict, error) {
	known := slices.Clone(u.openConflicts)
	for id := range u.resolutions {
		known = append(known, merge.Conflict{ID: id})
	}
	d := u.conflictedMerge(target)
	if err := s.Reviews.CheckResolutions(ctx, c, d, u.body.Resolutions, known); err != nil {
		return nil, err
	}
	return s.Reviews.Conflicts.Describe(ctx, c, d, u.openConflicts)
}

// conflictedMerge returns the merge of the import as input for describing its conflicts.
func (u *update) conflictedMerge(target revision.Target) review.ConflictedMerge {
	here := "the space"
	if target.ChangeRequest != "" {
		here = "the change request"
	}
	from := u.source
	from.ImportedAt = u.now
	return review.ConflictedMerge{
		Draft: u.draft, Revisions: [3]revision.Revision{1: u.draft.BaseRevision}, Versions: u.versions,
		Names:   [2]string{here, "the source"},
		Origins: [2]review.SideOrigin{{Head: u.draft.BaseHead.Revision}, {Source: &from}},
	}
}
