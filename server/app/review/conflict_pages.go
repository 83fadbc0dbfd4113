package review

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/text/merge"
)

// kindReusable is the conflict kind of a deleted reusable content. The merge reports it as a deleted page.
const kindReusable = "reusable-content"

// navigationLabel is the location shown for conflicts about the position of pages.
const navigationLabel = "Table of contents"

// changedVerb describes the side that changed an item that the other side deleted.
const changedVerb = "changed it"

// describeMovedPage describes a page that both sides moved to different parents or to different positions below the
// same parent.
func (d *describer) describeMovedPage(desc *description, c merge.Conflict) {
	var places [3]string
	for version := range places {
		places[version] = "not there yet"
		if d.page(version, c.Page) != nil {
			places[version] = describePosition(d.tree(version), c.Page)
		}
	}
	desc.Place = navigationLabel
	desc.Base = &api.ConflictSide{Value: capitalize(places[baseVersion])}
	desc.Ours, desc.Theirs = api.ConflictSide{
		Value: capitalize(places[oursVersion]),
	}, api.ConflictSide{Value: capitalize(places[theirsVersion])}
	did := "moved " + Quote(desc.Title) + " to different places"
	if c.Kind == merge.KindOrder {
		did = "put " + Quote(desc.Title) + " in different places among the pages beside it"
	}
	desc.Summary = d.sharedActionSentence(did)
	desc.addAnswer(api.TakeOurs, Quote(desc.Title)+" is "+d.positionAfterMerge(oursVersion, c.Page))
	desc.addAnswer(api.TakeTheirs, Quote(desc.Title)+" is "+d.positionAfterMerge(theirsVersion, c.Page))
	desc.traces = [2]trace{positionTrace(c.Page), positionTrace(c.Page)}
}

// positionAfterMerge describes the position of a page in the merge result if the given version is taken. Its
// neighbours may differ from those in that version.
func (d *describer) positionAfterMerge(version int, id string) string {
	p := d.page(version, id)
	if p == nil || p.Parent != "" && d.Draft.Tree.Page(p.Parent) == nil {
		return describePosition(d.tree(version), id)
	}
	tree := d.Draft.Tree.Next()
	tree.Put(&revision.Page{ID: id, Parent: p.Parent, Order: p.Order, Title: p.Name()})
	return describePosition(tree, id)
}

// describeDeletedPage describes a page or reusable content that one side deleted and the other changed or added pages
// to.
func (d *describer) describeDeletedPage(ctx context.Context, desc *description, c merge.Conflict) error {
	keeper, deleted := oursVersion, theirsVersion
	if c.Ours == nil {
		keeper, deleted = theirsVersion, oursVersion
	}
	what := Quote(desc.Title)
	desc.Place = navigationLabel
	if desc.ReusableContent != "" {
		desc.Kind, desc.Place, what = kindReusable, "Reusable contents", "the reusable content "+what
	}
	below := d.descendants(baseVersion, c.Page)
	desc.Base = &api.ConflictSide{Value: d.pathOrTitle(baseVersion, c.Page) + pagesBelowClause("", len(below))}
	changed, did, err := d.describeChange(ctx, keeper, c.Page)
	if err != nil {
		return err
	}
	lost, staying := []string{}, []string{}
	for _, id := range below {
		if d.Draft.Tree.Page(id) == nil {
			lost = append(lost, d.title(id))
		}
	}
	for _, id := range d.Draft.Tree.Children(c.Page) {
		staying = append(staying, d.Draft.Tree.Page(id).Name())
	}
	deletedSide := api.ConflictSide{Value: "Deleted" + pagesBelowClause("the ", d.countDeleted(deleted, below)) + ".", Absent: true}
	sides := map[int]*api.ConflictSide{oursVersion: &desc.Ours, theirsVersion: &desc.Theirs}
	*sides[keeper], *sides[deleted] = changed, deletedSide
	lasting := stayDeletedClause(lost)
	if titles := d.addedChildTitles(keeper, c.Page); len(titles) > 0 {
		lasting = ", with " + quotedList(titles) + " below it" + lasting
	}
	d.describeDeletion(desc, c, deletion{
		object: what, otherAction: did, subject: what, condition: "as it is", changed: did == changedVerb,
		deleteEffect: d.movedChildrenClause(c.Page, staying), restoreEffect: lasting,
	})
	desc.traces[keeper-1], desc.traces[deleted-1] = d.changeTrace(keeper, c.Page), existenceTrace(c.Page)
	return nil
}

// pathOrTitle returns the title path of a page in a version, or its title if it is not in the tree.
func (d *describer) pathOrTitle(version int, id string) string {
	if path := titlePath(d.tree(version), id); path != "" {
		return path
	}
	return d.title(id)
}

// descendants returns the ids of all pages below a page in a version.
func (d *describer) descendants(version int, id string) []string {
	return d.tree(version).Subtree(id)[1:]
}

// countDeleted returns how many of the pages are missing in a version.
func (d *describer) countDeleted(version int, pages []string) (n int) {
	for _, id := range pages {
		if d.page(version, id) == nil {
			n++
		}
	}
	return n
}

// stayDeletedClause returns a clause for the descendants that stay deleted when their page is restored.
func stayDeletedClause(titles []string) string {
	switch len(titles) {
	case 0:
		return ""
	case 1:
		return "; " + quotedList(titles) + ", which was below it, stays deleted"
	}
	return "; " + quotedList(titles) + ", which were below it, stay deleted"
}

// movedChildrenClause returns a clause that describes the new parent of the children of a deleted page.
func (d *describer) movedChildrenClause(id string, titles []string) string {
	if len(titles) == 0 {
		return ""
	}
	where := "to the top level"
	if p := d.Draft.Tree.Page(id); p != nil && p.Parent != "" {
		where = "to " + Quote(titlePath(d.Draft.Tree, p.Parent))
	}
	return "; " + quotedList(titles) + " below it " + goOrGoes(len(titles)) + " " + where
}

func goOrGoes(n int) string {
	if n == 1 {
		return "goes"
	}
	return "go"
}

// describeChange returns the difference of a page between base and a version, with an excerpt of its text, and the
// verb phrase for the summary.
func (d *describer) describeChange(ctx context.Context, version int, id string) (side api.ConflictSide, did string, err error) {
	old, current := d.page(baseVersion, id), d.page(version, id)
	if old == nil || current == nil {
		return api.ConflictSide{Value: "There."}, "kept it", nil
	}
	if titles := d.addedChildTitles(version, id); len(titles) > 0 && !pageDiffers(old, current) {
		return api.ConflictSide{Value: "Put below it: " + quotedList(titles) + "."}, "put " + quotedList(titles) + " below it", nil
	}
	var what []string
	if old.Text != current.Text {
		what = append(what, "the text")
		if side.Runs, err = d.excerptRuns(ctx, version, id); err != nil {
			return side, "", err
		}
	}
	if old.Parent != current.Parent || old.Order != current.Order {
		what = append(what, "its place, now "+describePosition(d.tree(version), id))
	}
	before, after := revision.Attributes(old), revision.Attributes(current)
	for _, name := range differingNames(before, after) {
		what = append(what, fmt.Sprintf("%s, now %s", attributeLabel(name), d.formatSetting(name, after[name])))
	}
	side.Value = "Changed: " + joinList(what) + "."
	return side, changedVerb, nil
}

// pageDiffers reports whether any mergeable part of a page differs.
func pageDiffers(old, current *revision.Page) bool {
	return old.Text != current.Text || old.Parent != current.Parent || old.Order != current.Order ||
		len(differingNames(revision.Attributes(old), revision.Attributes(current))) > 0
}

// differingNames returns the sorted names of the attributes that differ.
func differingNames(before, after map[string]string) (names []string) {
	for name, value := range after {
		if before[name] != value {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, exists := after[name]; !exists {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// addedChildTitles returns the titles of the pages that a version added or moved below a page.
func (d *describer) addedChildTitles(version int, id string) (titles []string) {
	for _, child := range d.tree(version).Children(id) {
		if old := d.tree(baseVersion).Page(child); old == nil || old.Parent != id {
			titles = append(titles, d.tree(version).Page(child).Name())
		}
	}
	return titles
}

// changeTrace returns the trace for the side that did not delete the page: the page itself, or the first child it
// added.
func (d *describer) changeTrace(version int, id string) trace {
	old, current := d.page(baseVersion, id), d.page(version, id)
	if old == nil || current == nil || pageDiffers(old, current) {
		return contentTrace(id)
	}
	for _, child := range d.tree(version).Children(id) {
		if old := d.tree(baseVersion).Page(child); old == nil || old.Parent != id {
			return positionTrace(child)
		}
	}
	return contentTrace(id)
}

// maxExcerptBytes bounds the total size of the texts compared for excerpts, per merge.
const maxExcerptBytes = 16 << 20

// excerptRuns returns the changed runs in the text of a page, truncated to the length of an excerpt. It returns nil
// if maxExcerptBytes is exceeded.
func (d *describer) excerptRuns(ctx context.Context, version int, id string) (runs []api.TextRun, err error) {
	old, err := d.pageText(ctx, baseVersion, id)
	if err != nil {
		return nil, err
	}
	current, err := d.pageText(ctx, version, id)
	if err != nil {
		return nil, err
	}
	if d.comparedBytes += len(old.Markdown) + len(current.Markdown); d.comparedBytes > maxExcerptBytes {
		return nil, nil
	}
	left := 3 * excerptRunes
	for _, block := range diff.Text(ctx, old.Text, current.Text) {
		if block.Change == api.BlockSame || left <= 0 {
			continue
		}
		for _, run := range block.Runs {
			text := []rune(run.Text)
			if run.Change == api.TextSame && len(text) > excerptRunes/2 {
				text = append([]rune("…"), text[len(text)-excerptRunes/2:]...)
			}
			if len(text) > left {
				text = append(text[:max(left, 0)], '…')
			}
			if left -= len(text); len(text) > 0 {
				run.Text = string(text)
				runs = append(runs, run)
			}
		}
	}
	return runs, ctx.Err()
}

// slugSuffixPattern matches the number that makes a slug unique.
var slugSuffixPattern = regexp.MustCompile(`-[0-9]+$`)

// describeSlug describes two pages that would have the same address.
func (d *describer) describeSlug(desc *description, c merge.Conflict) {
	free := plainText(c.Proposed)
	taken := slugSuffixPattern.ReplaceAllString(free, "")
	var other, parent string
	if p := d.Draft.Tree.Page(c.Page); p != nil {
		parent = p.Parent
	}
	for _, id := range d.Draft.Tree.Children(parent) {
		if id != c.Page && d.Draft.Tree.Page(id).Slug == taken {
			other = id
		}
	}
	above := ""
	if parent != "" {
		above = d.Draft.Tree.Path(parent) + "/"
	}
	address := Quote(above + taken)
	holds := func(version int) (holder string, side api.ConflictSide) {
		for _, id := range []string{c.Page, other} {
			if p := d.page(version, id); p != nil && p.Parent == parent && p.Slug == taken {
				return id, api.ConflictSide{Value: Quote(p.Name()) + " has the address " + address + "."}
			}
		}
		return "", api.ConflictSide{Value: "No page has the address " + address + ".", Absent: true}
	}
	var holders [2]string
	holders[0], desc.Ours = holds(oursVersion)
	holders[1], desc.Theirs = holds(theirsVersion)
	desc.Place, desc.Attribute, desc.AttributeLabel, desc.Proposed = "Settings", c.Attribute, attributeLabel(c.Attribute), new(free)
	desc.Summary = toSentence(fmt.Sprintf("two pages would have the address %s: %s and %s", address, d.holderTitle(0, holders),
		d.holderTitle(1, holders)))
	take, whose := api.TakeTheirs, 1
	if holders[0] == c.Page {
		take, whose = api.TakeOurs, 0
	}
	desc.addAnswer(take, d.holderTitle(whose, holders)+" gets the address "+Quote(above+free)+", and the other page keeps "+address)
	desc.addAnswer(api.TakeText, "What you write is the last part of the address of "+d.holderTitle(whose, holders)+
		", and the other page keeps "+address)
	desc.traces = [2]trace{slugTrace(holders[0]), slugTrace(holders[1])}
}

// holderTitle returns the quoted title of the page that has the address on a side, with the name of the side.
func (d *describer) holderTitle(side int, holders [2]string) string {
	title := d.title(holders[side])
	if p := d.page(side+1, holders[side]); p != nil {
		title = p.Name()
	}
	return Quote(title) + " of " + d.Names[side]
}

// describeCycle describes pages that the two sides together place below each other.
func (d *describer) describeCycle(desc *description, c merge.Conflict) {
	pages := d.cyclePages(c.Page)
	desc.Place = navigationLabel
	desc.Base = &api.ConflictSide{Value: d.describeParents(baseVersion, pages)}
	desc.Ours, desc.Theirs = api.ConflictSide{
		Value: d.describeParents(oursVersion, pages),
	}, api.ConflictSide{Value: d.describeParents(theirsVersion, pages)}
	desc.Summary = d.sharedActionSentence("put " + quotedList(d.titles(pages)) + " below each other, and only one of them can be")
	desc.addAnswer(api.TakeOurs, desc.Ours.Value)
	desc.addAnswer(api.TakeTheirs, desc.Theirs.Value)
	for side, version := range []int{oursVersion, theirsVersion} {
		moved := c.Page
		for _, id := range pages {
			if old, current := d.page(baseVersion, id), d.page(version, id); old != nil && current != nil && old.Parent != current.Parent {
				moved = id
				break
			}
		}
		desc.traces[side] = positionTrace(moved)
	}
}

// cyclePages returns the page and the pages that are above it on one side and below it on the other.
func (d *describer) cyclePages(id string) []string {
	pages := []string{id}
	for _, sides := range [][2]int{{oursVersion, theirsVersion}, {theirsVersion, oursVersion}} {
		for _, above := range d.ancestors(sides[0], id) {
			if slices.Contains(d.ancestors(sides[1], above), id) && !slices.Contains(pages, above) {
				pages = append(pages, above)
			}
		}
	}
	return pages
}

// ancestors returns the pages above a page in a version, nearest first.
func (d *describer) ancestors(version int, id string) (ids []string) {
	tree := d.tree(version)
	for p := tree.Page(id); p != nil && p.Parent != "" && len(ids) < revision.MaxPageDepth; p = tree.Page(p.Parent) {
		ids = append(ids, p.Parent)
	}
	return ids
}

// describeParents returns a sentence with the parents of the pages in a version.
func (d *describer) describeParents(version int, pages []string) string {
	var list []string
	for _, id := range pages {
		if p := d.page(version, id); p != nil {
			list = append(list, Quote(p.Name())+" is "+describeParent(d.tree(version), p))
		}
	}
	return toSentence(joinList(list))
}

// describeParent describes the parent of a page.
func describeParent(t *revision.Tree, p *revision.Page) string {
	if above := t.Page(p.Parent); above != nil {
		return "below " + Quote(above.Name())
	}
	return "at the top level"
}

func (d *describer) titles(pages []string) []string {
	titles := make([]string, len(pages))
	for i, id := range pages {
		titles[i] = d.title(id)
	}
	return titles
}
