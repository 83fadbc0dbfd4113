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
	"docspace.dev/wsd/store/objects"
)

// ConflictedMerge is a merge with conflicts: the versions that were merged and the names of the sides.
type ConflictedMerge struct {
	Draft     *revision.Worktree   // result of the merge with the proposed values
	Revisions [3]revision.Revision // base, ours and theirs; an import has only ours
	Versions  [3]*revision.Tree    // nil ones are read from the revisions
	Names     [2]string            // of ours and theirs, as used in a sentence
	Origins   [2]SideOrigin        // of ours and theirs
}

// SideOrigin is the origin of a side of a merge: a line of revisions or an import source.
type SideOrigin struct {
	Head, Until string           // head of the side, and the revision at which the search for its changes ends
	Request     string           // id of the change request of the line, if any
	Source      *revision.Source // import source of a side without revisions
}

// Indexes of the versions of a ConflictedMerge.
const (
	baseVersion = iota
	oursVersion
	theirsVersion
)

// describer describes the conflicts of one merge.
type describer struct {
	ConflictedMerge
	versions      [3]revision.Side
	texts         map[string]*textLayout // by version and TextID
	comparedBytes int                    // total size of the texts compared for excerpts
	names         map[string]string      // names of files, spaces and collections by id
	unreadable    []string               // damaged values, with the error of decoding
}

// description is a conflict in the form of the API, with traces to find the author of each side.
type description struct {
	api.Conflict
	traces [2]trace
}

// Describe returns the descriptions of the conflicts found by a merge, an update or an import. The result is not nil.
func (cd *ConflictDescriber) Describe(ctx context.Context, c *rest.Call, d ConflictedMerge, found []merge.Conflict) ([]api.Conflict,
	error,
) {
	describer := &describer{ConflictedMerge: d, texts: map[string]*textLayout{}, names: map[string]string{}}
	if len(found) == 0 {
		return []api.Conflict{}, nil
	}
	if err := cd.readVersions(ctx, describer, found); err != nil {
		return nil, err
	}
	if err := cd.readNames(ctx, c, describer, found); err != nil {
		return nil, err
	}
	all := make([]description, len(found))
	for i, conflict := range found {
		var err error
		if all[i], err = describer.describe(ctx, conflict); err != nil {
			return nil, err
		}
	}
	if len(describer.unreadable) > 0 {
		cd.Log.ErrorContext(ctx, "values in conflict cannot be read",
			"organization", c.Org, "space", d.Draft.Content.Space(), "values", describer.unreadable)
	}
	if err := cd.attributeSides(ctx, c, d, all); err != nil {
		return nil, err
	}
	wire := make([]api.Conflict, len(all))
	for i := range all {
		wire[i] = all[i].Conflict
	}
	return wire, ctx.Err()
}

// readVersions reads the trees of the versions and the reusable contents in conflict, which are not part of the
// trees.
func (cd *ConflictDescriber) readVersions(ctx context.Context, t *describer, found []merge.Conflict) error {
	var ids []string
	for _, c := range found {
		for _, id := range append(linkedIDs(c), c.Page) {
			if strings.HasPrefix(id, revision.ReusablePrefix) {
				ids = append(ids, id)
			}
		}
	}
	for v := range t.versions {
		var err error
		if t.versions[v].Tree = t.Versions[v]; t.Versions[v] == nil {
			if t.versions[v].Tree, err = cd.Revisions.Tree(ctx, t.Draft.Content, t.Revisions[v].Pages); err != nil {
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

// describe returns the description of one conflict.
func (d *describer) describe(ctx context.Context, c merge.Conflict) (description, error) {
	desc := description{
		Conflict: api.Conflict{ID: c.ID, Kind: c.Kind, Page: c.Page, Block: c.Block, Title: d.title(c.Page), Links: d.conflictLinks(c)},
	}
	if strings.HasPrefix(c.Page, revision.ReusablePrefix) {
		desc.Page, desc.ReusableContent = "", c.Page
	}
	var err error
	switch {
	case c.Kind == merge.KindFile:
		d.describeFile(&desc, c)
	case c.Kind == merge.KindVariable:
		d.describeVariable(&desc, c)
	case c.Kind == merge.KindAttribute:
		d.describeAttribute(&desc, c)
	case c.Kind == merge.KindText:
		err = d.describeText(ctx, &desc, c)
	case c.Kind == merge.KindInserted:
		err = d.describeInserted(ctx, &desc, c)
	case c.Block != "" && c.Kind == merge.KindDeleted:
		err = d.describeDeletedBlock(ctx, &desc, c)
	case c.Block != "":
		err = d.describeMovedBlock(ctx, &desc, c)
	case c.Kind == merge.KindDeleted:
		err = d.describeDeletedPage(ctx, &desc, c)
	case c.Kind == merge.KindSlug:
		d.describeSlug(&desc, c)
	case c.Kind == merge.KindCycle:
		d.describeCycle(&desc, c)
	default:
		d.describeMovedPage(&desc, c)
	}
	return desc, err
}

// page returns a page or reusable content in a version, or nil if it does not exist.
func (d *describer) page(version int, id string) *revision.Page {
	if p := d.versions[version].Reusables[id]; p != nil {
		return p
	}
	return d.tree(version).Page(id)
}

func (d *describer) tree(version int) *revision.Tree { return d.versions[version].Tree }

// title returns the title of a page in the newest version that contains it.
func (d *describer) title(id string) string {
	for _, version := range []int{oursVersion, theirsVersion, baseVersion} {
		if p := d.page(version, id); p != nil {
			return p.Name()
		}
	}
	return ""
}

// pageText returns the text of a page in a version; the text is empty if the page does not exist or its text is lost.
func (d *describer) pageText(ctx context.Context, version int, id string) (*textLayout, error) {
	p := d.page(version, id)
	if p == nil {
		return newTextLayout(content.Text{}), nil
	}
	key := fmt.Sprint(version, p.TextID())
	if known := d.texts[key]; known != nil {
		return known, nil
	}
	text, err := d.Draft.Text(ctx, p)
	if err != nil && !objects.IsLost(err) {
		return nil, err
	}
	d.texts[key] = newTextLayout(text)
	return d.texts[key], nil
}

// actionsSentence returns a sentence with the actions of both sides, each a verb phrase.
func (d *describer) actionsSentence(oursDid, theirsDid string) string {
	return toSentence(d.Names[0] + " " + oursDid + "; " + d.Names[1] + " " + theirsDid)
}

// sharedActionSentence returns a sentence with an action that both sides took.
func (d *describer) sharedActionSentence(did string) string {
	return toSentence(d.Names[0] + " and " + d.Names[1] + " " + did)
}

// setSides sets the three values of a conflict, converted by side.
func (d *description) setSides(side func(value *string) api.ConflictSide, c merge.Conflict) {
	d.Base, d.Ours, d.Theirs = new(side(c.Base)), side(c.Ours), side(c.Theirs)
}

// addAnswer adds an answer with its effect.
func (d *description) addAnswer(take api.ResolutionTake, effect string) {
	d.Answers = append(d.Answers, api.ConflictAnswer{Take: take, Effect: toSentence(effect)})
}

// changedRuns returns the runs that a side changed, or nil if a value is absent.
func changedRuns(ctx context.Context, base, side *string) []api.TextRun {
	if base == nil || side == nil {
		return nil
	}
	return diff.Runs(ctx, *base, *side)
}
