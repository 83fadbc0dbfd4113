package repair

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// headPlan is the next revision of a head whose content is not completely readable.
type headPlan struct {
	repair  *spaceRepair
	id      string
	from    store.Head
	current revision.Revision // revision of the head, as far as it is known
	history []revision.HistoricalRevision
	content *objects.Content
	broken  bool // something is missing
	quiet   bool // damage is reported as one of the history
	base    *headPlan

	links     map[string]objects.Entry
	linksLost bool

	pages, reusables map[string]*revision.Page
	files            map[string]objects.Entry
	sources          string                          // root of the map of sources, or "" if it is not readable
	specs            map[string]revision.SpecVersion // readable versions of specifications, by slug
	rebuiltTexts     map[string]content.Text         // texts with rebuilt block tables, by page
	importedTexts    map[string]content.Text         // imported texts with rebuilt block tables, by page
	reverted         map[string]*revision.Page       // pages of the space that lost their text, in their reverted state
}

// planHead plans the next revision of a head. It returns nil if the change request is merged, or if the content of the head and
// the base that it is compared with are readable.
func (sr *spaceRepair) planHead(ctx context.Context, id string) (*headPlan, error) {
	if sr.requests[id].Fields.Status == api.StatusMerged {
		return nil, nil //nolint:nilnil // it is history
	}
	h, err := sr.planContent(ctx, id, sr.heads[id], sr.ancestors(id, sr.heads[id].Revision), false)
	if err != nil {
		return nil, err
	}
	if request, ok := sr.requests[id]; ok {
		if err := h.planBase(ctx, request); err != nil {
			return nil, err
		}
	}
	if !h.broken {
		return nil, nil //nolint:nilnil // nothing to do
	}
	return h, nil
}

// planBase plans a new base for a change request if its base is not readable.
func (hp *headPlan) planBase(ctx context.Context, request store.ChangeRequestDocument) error {
	base := cmp.Or(request.Fields.RevisionMergedAncestor, request.Fields.RevisionInitial)
	r, known := hp.repair.revisions[base]
	if known {
		whole, err := hp.isBaseReadable(ctx, r)
		if err != nil || whole {
			return err
		}
	}
	line := hp.repair.ancestors(hp.repair.space, base)
	if !known {
		if len(line) == 0 {
			return nil // without any readable revision, the change request remains unchanged
		}
		r = line[0].Revision
		r.Number++
	}
	var err error
	hp.base, err = hp.repair.planContent(ctx, hp.id, store.Head{
		Revision: base, Pages: r.Pages, Files: r.Files, Links: r.Links, MovedAt: r.CreatedAt,
	}, line, true)
	hp.broken = true
	return err
}

// isBaseReadable reports whether everything of a base that a merge reads can be read. Of the sources these are the records,
// not the texts of removed pages.
func (hp *headPlan) isBaseReadable(ctx context.Context, r revision.Revision) (bool, error) {
	roots := slices.DeleteFunc([]string{r.Pages, r.Files, r.Reusables}, func(root string) bool { return root == "" })
	if whole, err := hp.content.Readable(ctx, roots); err != nil || !whole {
		return false, err
	}
	sources, err := hp.content.Survey(ctx, r.Sources)
	return len(sources.Unreadable) == 0, err
}

// planContent finds the last readable state of the content of a head.
func (sr *spaceRepair) planContent(ctx context.Context, id string, from store.Head, line []revision.HistoricalRevision,
	quiet bool,
) (*headPlan, error) {
	h := &headPlan{
		repair: sr, id: id, from: from, history: line, quiet: quiet, content: sr.env.store.Content(sr.space),
		rebuiltTexts:  map[string]content.Text{},
		importedTexts: map[string]content.Text{},
		reverted:      map[string]*revision.Page{},
	}
	h.initRevision()
	links, err := h.content.Survey(ctx, h.from.Links)
	if err != nil {
		return nil, err
	}
	if h.links = links.Entries; len(links.Unreadable) > 0 {
		h.linksLost = true
		h.report(Damage{Kind: DamagedLinks, Outcome: "found again in the texts"}, links.Unreadable...)
	}
	if err := h.readPages(ctx); err != nil {
		return nil, err
	}
	if err := h.readSources(ctx); err != nil {
		return nil, err
	}
	if err := h.readSpecs(ctx); err != nil {
		return nil, err
	}
	return h, h.readFiles(ctx)
}

// report records a damage and the objects that it is about. A damage whose objects were all reported before is
// omitted.
func (hp *headPlan) report(d Damage, hashes ...string) {
	hp.broken = true
	if hp.quiet {
		return
	}
	said := len(hashes) > 0
	for _, hash := range hashes {
		said = said && hp.repair.reported[hash]
		hp.repair.reported[hash] = true
	}
	if !said {
		hp.repair.addDamage(hp.id, d)
	}
}

// initRevision sets the revision of the head, or reconstructs it from the head and the previous revision if it is
// lost.
func (hp *headPlan) initRevision() {
	r, known := hp.repair.revisions[hp.from.Revision]
	if known {
		hp.current, hp.history = r, hp.history[1:]
		return
	}
	hp.current = revision.Revision{Pages: hp.from.Pages, Files: hp.from.Files, Links: hp.from.Links, CreatedAt: hp.from.MovedAt, Number: 1}
	outcome := "its pages and files are there; who made it, and how, is not known any more"
	if len(hp.history) > 0 {
		before := hp.history[0]
		hp.current.Variables, hp.current.Reusables, hp.current.Number = before.Variables, before.Reusables, before.Number+1
		hp.current.Sources, hp.current.Specs = before.Sources, before.Specs
		outcome += "; variables and reusable contents are those of revision " + before.ID
	}
	hp.report(Damage{Kind: DamagedRevision, ID: hp.from.Revision, Outcome: outcome}, revision.ObjectHash(hp.from.Revision))
}

// readPages finds the last readable state of every page and reusable content.
func (hp *headPlan) readPages(ctx context.Context) (err error) {
	if hp.pages, err = hp.readEntries(ctx, revision.PagesRoot, hp.textsFromLinks()); err != nil {
		return err
	}
	if hp.reusables, err = hp.readEntries(ctx, revision.ReusablesRoot, nil); err != nil {
		return err
	}
	if err := hp.repairTexts(ctx, DamagedPage, hp.pages, revision.PagesRoot); err != nil {
		return err
	}
	if err := hp.repairOrigins(ctx); err != nil {
		return err
	}
	return hp.repairTexts(ctx, DamagedReusable, hp.reusables, revision.ReusablesRoot)
}

// textsFromLinks returns the text of each page according to the map of links, which allows texts to be found if the
// tree is not readable.
func (hp *headPlan) textsFromLinks() map[string]revision.PageLinks {
	found := map[string]revision.PageLinks{}
	for id, e := range hp.links {
		var l revision.PageLinks
		if json.Unmarshal(e.Value, &l) == nil && l.Text != "" {
			found[id] = l
		}
	}
	return found
}

// readEntries reads the pages of a map. Unreadable pages are taken from the nearest earlier revision, with their
// current texts if those are known from the map of links.
func (hp *headPlan) readEntries(ctx context.Context, root func(
	revision.Revision,
) string, texts map[string]revision.PageLinks,
) (map[string]*revision.Page, error) {
	v, older, err := hp.survey(ctx, root)
	if err != nil {
		return nil, err
	}
	pages := map[string]*revision.Page{}
	for id, e := range v.Entries {
		if pages[id], err = revision.DecodePage(id, e); err != nil {
			return nil, err
		}
	}
	for id, e := range older {
		if pages[id], err = revision.DecodePage(id, e); err != nil {
			return nil, err
		}
		hp.useText(ctx, pages[id], texts[id])
	}
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		if pages[id] == nil && v.IsMissing(id) { // the page is newer than all readable maps; only its text is left
			p := &revision.Page{
				ID: id, Type: api.PageDocument, Slug: content.Slug(id), CreatedAt: api.At(hp.from.MovedAt),
				UpdatedAt: api.At(hp.from.MovedAt),
			}
			hp.useText(ctx, p, texts[id])
			pages[id] = p
		}
	}
	return pages, nil
}

// useText sets the text of a page known from the map of links, if it differs. If that text is not readable, repairTexts
// replaces and reports it.
func (hp *headPlan) useText(ctx context.Context, p *revision.Page, known revision.PageLinks) {
	if known.Text == "" || known.Text == p.TextID() {
		return
	}
	p.Text, p.Blocks, _ = strings.Cut(known.Text, revision.TextSeparator)
	read, err := revision.ReadText(ctx, hp.content, p.Text, p.Blocks)
	if err != nil {
		return
	}
	p.DerivedTitle = content.Title(read.Markdown)
	if p.Order == "" {
		p.Slug = cmp.Or(content.Slug(p.Name()), p.Slug)
	}
}

// survey reads a map of the head, and the missing entries from the nearest revisions that have them.
func (hp *headPlan) survey(ctx context.Context, root func(revision.Revision) string) (v objects.Survey, older map[string]objects.Entry,
	err error,
) {
	if v, err = hp.content.Survey(ctx, root(hp.current)); err != nil || len(v.Unreadable) == 0 {
		return v, nil, err
	}
	older = map[string]objects.Entry{}
	lacking, from := []objects.Survey{v}, ""
	for _, r := range hp.history {
		earlier, err := hp.content.Survey(ctx, root(r.Revision))
		if err != nil {
			return v, nil, err
		}
		for id, e := range earlier.Entries {
			if !slices.ContainsFunc(lacking, func(s objects.Survey) bool { return !s.IsMissing(id) }) {
				older[id] = e
			}
		}
		from = r.ID
		if len(earlier.Unreadable) == 0 {
			break
		}
		lacking = append(lacking, earlier)
	}
	outcome := "what was in it is lost, but for texts that are known otherwise"
	if from != "" {
		outcome = fmt.Sprintf("its pages stand as in revision %s, with their texts of now as far as those are known", from)
	}
	at, author := hp.findOrigin(func(r revision.Revision) bool { return root(r) == root(hp.current) })
	hp.report(Damage{Kind: DamagedPart, ID: v.Unreadable[0], Revision: at, Author: author, Outcome: outcome, GivenUp: true},
		v.Unreadable...)
	return v, older, nil
}

// findOrigin finds the revision that introduced a state, searching back from the head, and its author.
func (hp *headPlan) findOrigin(has func(revision.Revision) bool) (id, author string) {
	id, author = hp.from.Revision, hp.current.Author
	for _, r := range hp.history {
		if !has(r.Revision) {
			break
		}
		id, author = r.ID, r.Author
	}
	for at := hp.repair.mergedParent(id); at != ""; at = hp.repair.firstParent(at) { // the author of the change, not of its merge
		r, known := hp.repair.revisions[at]
		if !known || !has(r) {
			break
		}
		id, author = at, r.Author
	}
	return id, author
}

// mergedParent returns the head of the change request that a revision merged, or "" if it is not a merge.
func (sr *spaceRepair) mergedParent(id string) string {
	if r := sr.revisions[id]; r.Type == api.RevisionMerge && len(r.Parents) > 1 {
		return r.Parents[1]
	}
	return ""
}

func (sr *spaceRepair) firstParent(id string) string {
	if r := sr.revisions[id]; len(r.Parents) > 0 {
		return r.Parents[0]
	}
	return ""
}

// repairTexts repairs the unreadable texts of pages or reusable contents.
func (hp *headPlan) repairTexts(ctx context.Context, kind string, pages map[string]*revision.Page, root func(
	revision.Revision,
) string,
) error {
	var hashes []string
	for _, p := range pages {
		if p.Text != "" {
			hashes = append(hashes, p.Text, p.Blocks)
		}
	}
	bad, err := hp.content.Unreadable(ctx, hashes)
	if err != nil || len(bad) == 0 {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(pages)) {
		p := pages[id]
		if p.Text == "" || !bad[p.Text] && !bad[p.Blocks] {
			continue
		}
		missing := slices.DeleteFunc([]string{p.Text, p.Blocks}, func(hash string) bool { return !bad[hash] })
		if err := hp.repairText(ctx, kind, pages, id, missing, root); err != nil {
			return err
		}
	}
	return nil
}

// repairText sets the last readable text of a page. If only the block table is lost, it is rebuilt from the text.
func (hp *headPlan) repairText(ctx context.Context, kind string, pages map[string]*revision.Page, id string, bad []string,
	root func(revision.Revision) string,
) error {
	p := *pages[id]
	lost := p.TextID()
	at, author := hp.findOrigin(func(r revision.Revision) bool {
		e, err := hp.content.Get(ctx, root(r), id)
		if err != nil { // its part of the map is lost as well
			return !r.CreatedAt.Before(p.UpdatedAt.Time)
		}
		before, err := revision.DecodePage(id, e[id])
		return err == nil && before.TextID() == lost
	})
	d := Damage{Kind: kind, ID: id, Name: p.Name(), Revision: at, Author: author}
	old, previous, from := hp.lastText(ctx, id, lost, root)
	switch {
	case !slices.Contains(bad, p.Text):
		markdown, err := hp.content.Object(ctx, p.Text)
		if err != nil {
			return err
		}
		if old == nil {
			previous = hp.textWithBlocks(ctx, &p, root)
		}
		t, err := content.Parse(id, markdown, previous)
		if err != nil {
			return fmt.Errorf("page %s: %w", id, err)
		}
		hp.rebuiltTexts[id] = t
		d.Outcome = "its text is there; its blocks are found again"
	case old != nil:
		p.Text, p.Blocks, p.DerivedTitle = old.Text, old.Blocks, old.DerivedTitle
		d.GivenUp, d.Outcome = true, "its text goes back to that of revision "+from
		hp.recordReverted(id, old)
	default:
		d.GivenUp, d.Outcome = true, "no text of it can be read; it is taken out"
		delete(pages, id)
		for _, child := range pages {
			if child.Parent == id {
				child.Parent = p.Parent
			}
		}
		hp.recordReverted(id, &revision.Page{ID: id, Parent: p.Parent, Type: p.Type, Title: p.Title, Slug: p.Slug})
		hp.report(d, bad...)
		return nil
	}
	pages[id] = &p
	hp.report(d, bad...)
	return nil
}

// lastText finds the last readable text of a page that differs from the lost one.
func (hp *headPlan) lastText(ctx context.Context, id, lost string, root func(revision.Revision) string) (p *revision.Page,
	text content.Text, from string,
) {
	for _, r := range hp.history {
		e, err := hp.content.Get(ctx, root(r.Revision), id)
		if err != nil {
			continue
		}
		entry, ok := e[id]
		if !ok {
			return nil, text, ""
		}
		p, err := revision.DecodePage(id, entry)
		if err != nil || p.Text == "" || p.TextID() == lost {
			continue
		}
		if bad, err := hp.content.Unreadable(ctx, []string{p.Text, p.Blocks}); err != nil || len(bad) > 0 {
			continue
		}
		if text, err = revision.ReadText(ctx, hp.content, p.Text, p.Blocks); err == nil {
			return p, text, r.ID
		}
	}
	return nil, text, ""
}

// readFiles finds the last readable state of every file.
func (hp *headPlan) readFiles(ctx context.Context) error {
	v, older, err := hp.survey(ctx, revision.FilesRoot)
	if err != nil {
		return err
	}
	hp.files = maps.Clone(v.Entries)
	maps.Copy(hp.files, older)
	for _, id := range slices.Sorted(maps.Keys(hp.files)) {
		whole, err := hp.content.Readable(ctx, hp.files[id].Refs)
		if err != nil {
			return err
		}
		if !whole {
			if err := hp.repairFile(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// repairFile sets the last readable state of a file, or removes it if there is none.
func (hp *headPlan) repairFile(ctx context.Context, id string) error {
	lost := hp.files[id]
	f, err := revision.DecodeFile(id, lost)
	if err != nil {
		return err
	}
	at, author := hp.findOrigin(func(r revision.Revision) bool {
		e, err := hp.content.Get(ctx, r.Files, id)
		return err != nil || string(e[id].Value) == string(lost.Value) // files rarely change: an unreadable map counts as having it
	})
	d := Damage{
		Kind: DamagedFile, ID: id, Name: f.Name, Revision: at, Author: author, GivenUp: true, Outcome: "no state of it can be read; it " +
			"is taken out",
	}
	delete(hp.files, id)
	for _, r := range hp.history {
		e, err := hp.content.Get(ctx, r.Files, id)
		if err != nil {
			continue
		}
		entry, ok := e[id]
		if !ok {
			break
		}
		if whole, err := hp.content.Readable(ctx, entry.Refs); err == nil && whole {
			hp.files[id], d.Outcome = entry, "it goes back to revision "+r.ID
			break
		}
	}
	return hp.reportFile(ctx, d, lost.Refs)
}

// reportFile reports a damaged file with its unreadable objects.
func (hp *headPlan) reportFile(ctx context.Context, d Damage, refs []string) error {
	broken, err := hp.content.Broken(ctx, refs)
	hp.report(d, broken...)
	return err
}
