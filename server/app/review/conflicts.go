package review

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
)

// Dispute is a merge that has conflicts: the versions that it was made of, and what people call its sides.
type Dispute struct {
	Draft     *revision.Worktree   // with what the merge proposes
	Revisions [3]revision.Revision // base, ours and theirs; of an import only ours has one
	Versions  [3]*revision.Tree    // those of the revisions unless they are given
	Names     [2]string            // of ours and theirs, in a sentence
	Lines     [2]Line              // where ours and theirs come from
}

// Line is where a side of a merge comes from: a line of revisions, or a source.
type Line struct {
	Head, Until string           // revisions: the side's own, and where nobody need look for its changes
	Request     string           // id of the change request that the line is of
	Source      *revision.Source // of a side that has no revisions
}

// base, ours and theirs are the versions of a dispute, as indexes.
const (
	inBase = iota
	inOurs
	inTheirs
)

// teller puts the conflicts of one merge in words.
type teller struct {
	Dispute
	versions [3]revision.Side
	texts    map[string]*layout // by version and TextID
	excerpts int                // bytes of the texts that were compared for excerpts
	names    map[string]string  // of files, spaces and collections that settings lead to
}

// told is a conflict in words, with what its two sides' histories are searched for.
type told struct {
	api.Conflict
	traces [2]trace
}

// Tell writes conflicts as they are on the wire, for people: a merge, an update and an import answer them so.
func (s *ConflictReader) Tell(ctx context.Context, c *rest.Call, d Dispute, found []merge.Conflict) ([]api.Conflict, error) {
	t := &teller{Dispute: d, texts: map[string]*layout{}, names: map[string]string{}}
	if len(found) == 0 {
		return []api.Conflict{}, nil
	}
	if err := s.readVersions(ctx, t, found); err != nil {
		return nil, err
	}
	if err := s.readNames(ctx, c, t, found); err != nil {
		return nil, err
	}
	all := make([]told, len(found))
	for i, conflict := range found {
		var err error
		if all[i], err = t.tell(ctx, conflict); err != nil {
			return nil, err
		}
	}
	if err := s.nameMakers(ctx, c, d, all); err != nil {
		return nil, err
	}
	wire := make([]api.Conflict, len(all))
	for i := range all {
		wire[i] = all[i].Conflict
	}
	return wire, ctx.Err()
}

// readVersions reads the trees, and the reusable contents in conflict, which no tree has.
func (s *ConflictReader) readVersions(ctx context.Context, t *teller, found []merge.Conflict) error {
	var ids []string
	for _, c := range found {
		for _, id := range append(linksIn(c), c.Page) {
			if strings.HasPrefix(id, revision.ReusablePrefix) {
				ids = append(ids, id)
			}
		}
	}
	for v := range t.versions {
		var err error
		if t.versions[v].Tree = t.Versions[v]; t.Versions[v] == nil {
			if t.versions[v].Tree, err = s.Revisions.Tree(ctx, t.Draft.Content, t.Revisions[v].Pages); err != nil {
				return err
			}
		}
		if len(ids) == 0 {
			continue
		}
		if t.versions[v].Reusables, err = revision.ReadReusables(ctx, t.Draft.Content, t.Revisions[v].Reusables, ids...); err != nil {
			return err
		}
	}
	return nil
}

// tell puts one conflict in words.
func (t *teller) tell(ctx context.Context, c merge.Conflict) (told, error) {
	w := told{Conflict: api.Conflict{ID: c.ID, Kind: c.Kind, Page: c.Page, Block: c.Block, Title: t.title(c.Page), Links: t.links(c)}}
	if strings.HasPrefix(c.Page, revision.ReusablePrefix) {
		w.Page, w.ReusableContent = "", c.Page
	}
	var err error
	switch {
	case c.Kind == merge.KindFile:
		t.file(&w, c)
	case c.Kind == merge.KindVariable:
		t.variable(&w, c)
	case c.Kind == merge.KindAttribute:
		t.attribute(&w, c)
	case c.Kind == merge.KindText:
		err = t.text(ctx, &w, c)
	case c.Kind == merge.KindInserted:
		err = t.inserted(ctx, &w, c)
	case c.Block != "" && c.Kind == merge.KindDeleted:
		err = t.deletedBlock(ctx, &w, c)
	case c.Block != "":
		err = t.movedBlock(ctx, &w, c)
	case c.Kind == merge.KindDeleted:
		err = t.deletedPage(ctx, &w, c)
	case c.Kind == merge.KindSlug:
		t.slug(&w, c)
	case c.Kind == merge.KindCycle:
		t.cycle(&w, c)
	default:
		t.movedPage(&w, c)
	}
	return w, err
}

// page is a page or reusable content in a version, nil where it is not there.
func (t *teller) page(version int, id string) *revision.Page {
	if p := t.versions[version].Reusables[id]; p != nil {
		return p
	}
	return t.tree(version).Page(id)
}

func (t *teller) tree(version int) *revision.Tree { return t.versions[version].Tree }

// title is what the page of a conflict is called in the newest version that has it.
func (t *teller) title(id string) string {
	for _, version := range []int{inOurs, inTheirs, inBase} {
		if p := t.page(version, id); p != nil {
			return p.Name()
		}
	}
	return ""
}

// textOf is the text of a page in a version, without blocks where there is none.
func (t *teller) textOf(ctx context.Context, version int, id string) (*layout, error) {
	p := t.page(version, id)
	if p == nil {
		return newLayout(content.Text{}), nil
	}
	key := fmt.Sprint(version, p.TextID())
	if known := t.texts[key]; known != nil {
		return known, nil
	}
	text, err := t.Draft.Text(ctx, p)
	if err != nil && !rest.IsLost(err) {
		return nil, err
	}
	t.texts[key] = newLayout(text)
	return t.texts[key], nil
}

// both is what the two sides did, each in words that begin with a verb.
func (t *teller) both(oursDid, theirsDid string) string {
	return sentence(t.Names[0] + " " + oursDid + "; " + t.Names[1] + " " + theirsDid)
}

// alike is what both sides did, each in its way.
func (t *teller) alike(did string) string {
	return sentence(t.Names[0] + " and " + t.Names[1] + " " + did)
}

// sides puts the values of a conflict on the wire.
func (w *told) sides(of func(value *string) api.ConflictSide, c merge.Conflict) {
	w.Base, w.Ours, w.Theirs = new(of(c.Base)), of(c.Ours), of(c.Theirs)
}

// answer adds an answer.
func (w *told) answer(take api.ResolutionTake, effect string) {
	w.Answers = append(w.Answers, api.ConflictAnswer{Take: take, Effect: sentence(effect)})
}

// runsBetween is what a side of a conflict changed.
func runsBetween(ctx context.Context, base, side *string) []api.TextRun {
	if base == nil || side == nil {
		return nil
	}
	return diff.Runs(ctx, *base, *side)
}
