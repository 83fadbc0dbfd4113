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

// headPlan is the next revision of a head whose content cannot be read as a whole.
type headPlan struct {
	patient *patient
	id      string
	from    store.Head
	was     revision.Revision // what the head names, as far as it is known
	line    []revision.Numbered
	content *objects.Content
	broken  bool // something is missing
	quiet   bool // others say it
	base    *headPlan

	links     map[string]objects.Entry
	linksGone bool

	pages, reusables map[string]*revision.Page
	files            map[string]objects.Entry
	texts            map[string]content.Text // made anew, by page
	came             map[string]content.Text // what imports brought, made anew, by page
}

// planHead plans the next revision of a head; there is none where all that it shows can be read, and what it is
// compared with.
func (p *patient) planHead(ctx context.Context, id string) (*headPlan, error) {
	if p.requests[id].Fields.Status == api.StatusMerged {
		return nil, nil //nolint:nilnil // it is history
	}
	h, err := p.plan(ctx, id, p.heads[id], p.ancestors(id, p.heads[id].Revision), false)
	if err != nil {
		return nil, err
	}
	if request, ok := p.requests[id]; ok {
		if err := h.planBase(ctx, request); err != nil {
			return nil, err
		}
	}
	if !h.broken {
		return nil, nil //nolint:nilnil // nothing to do
	}
	return h, nil
}

// planBase plans what a change request will have in common with the space, where its base cannot be read.
func (h *headPlan) planBase(ctx context.Context, request store.ChangeRequestDocument) error {
	base := cmp.Or(request.Fields.RevisionMergedAncestor, request.Fields.RevisionInitial)
	r, known := h.patient.known[base]
	if known {
		whole, err := h.content.Whole(ctx, slices.DeleteFunc([]string{r.Pages, r.Files, r.Reusables}, func(root string) bool { return root == "" }))
		if err != nil || whole {
			return err
		}
	}
	line := h.patient.ancestors(h.patient.space, base)
	if !known {
		if len(line) == 0 {
			return nil // there is nothing to begin with: the change request stays as it is
		}
		r = line[0].Revision
		r.Number++
	}
	var err error
	h.base, err = h.patient.plan(ctx, h.id, store.Head{Revision: base, Pages: r.Pages, Files: r.Files, Links: r.Links, At: r.At}, line, true)
	h.broken = true
	return err
}

// plan finds the content of a head in its last readable state.
func (p *patient) plan(ctx context.Context, id string, from store.Head, line []revision.Numbered, quiet bool) (*headPlan, error) {
	h := &headPlan{
		patient: p, id: id, from: from, line: line, quiet: quiet, content: p.with.store.Content(p.space), texts: map[string]content.Text{},
		came: map[string]content.Text{},
	}
	h.begin()
	links, err := h.content.Survey(ctx, h.from.Links)
	if err != nil {
		return nil, err
	}
	if h.links = links.Entries; len(links.Gone) > 0 {
		h.linksGone = true
		h.note(Damage{Kind: DamagedLinks, Outcome: "found again in the texts"}, links.Gone...)
	}
	if err := h.readPages(ctx); err != nil {
		return nil, err
	}
	return h, h.readFiles(ctx)
}

// note notes a damage and the objects that it is about.
func (h *headPlan) note(d Damage, hashes ...string) {
	h.broken = true
	said := len(hashes) > 0
	for _, hash := range hashes {
		said = said && h.patient.explained[hash]
		h.patient.explained[hash] = true
	}
	if !h.quiet && !said {
		h.patient.add(h.id, d)
	}
}

// begin finds what the head's revision says, or what is known of it without.
func (h *headPlan) begin() {
	r, known := h.patient.known[h.from.Revision]
	if known {
		h.was, h.line = r, h.line[1:]
		return
	}
	h.was = revision.Revision{Pages: h.from.Pages, Files: h.from.Files, Links: h.from.Links, At: h.from.At, Number: 1}
	outcome := "its pages and files are there; who made it, and how, is not known any more"
	if len(h.line) > 0 {
		before := h.line[0]
		h.was.Variables, h.was.Reusables, h.was.Number = before.Variables, before.Reusables, before.Number+1
		h.was.Sources, h.was.Specs = before.Sources, before.Specs
		outcome += "; variables and reusable contents are those of revision " + before.ID
	}
	h.note(Damage{Kind: DamagedRevision, ID: h.from.Revision, Outcome: outcome}, revision.HashOf(h.from.Revision))
}

// readPages finds every page and reusable content in its last readable state.
func (h *headPlan) readPages(ctx context.Context) (err error) {
	if h.pages, err = h.entries(ctx, revision.PagesOf, h.textsByLinks()); err != nil {
		return err
	}
	if h.reusables, err = h.entries(ctx, revision.ReusablesOf, nil); err != nil {
		return err
	}
	if err := h.mendTexts(ctx, DamagedPage, h.pages, revision.PagesOf); err != nil {
		return err
	}
	if err := h.mendOrigins(ctx); err != nil {
		return err
	}
	return h.mendTexts(ctx, DamagedReusable, h.reusables, revision.ReusablesOf)
}

// textsByLinks says which text each page has, as the map of links knows it: where the tree cannot be read, its texts
// are found nevertheless.
func (h *headPlan) textsByLinks() map[string]revision.PageLinks {
	found := map[string]revision.PageLinks{}
	for id, e := range h.links {
		var l revision.PageLinks
		if json.Unmarshal(e.Value, &l) == nil && l.Text != "" {
			found[id] = l
		}
	}
	return found
}

// entries reads the pages of a map. What cannot be read of it is as it was in the revision before, or in the one
// before that, but with the texts that are known otherwise.
func (h *headPlan) entries(ctx context.Context, root func(revision.Revision) string, texts map[string]revision.PageLinks) (map[string]*revision.Page, error) {
	v, older, err := h.survey(ctx, root)
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
		h.take(ctx, pages[id], texts[id])
	}
	for _, id := range slices.Sorted(maps.Keys(texts)) {
		if pages[id] == nil && v.Lacks(id) { // it was made since: all that is left of it is its text
			p := &revision.Page{ID: id, Type: api.PageDocument, Slug: content.Slug(id), CreatedAt: api.At(h.from.At), UpdatedAt: api.At(h.from.At)}
			h.take(ctx, p, texts[id])
			pages[id] = p
		}
	}
	return pages, nil
}

// take gives a page the text that is known of it, if that is another one and can be read.
func (h *headPlan) take(ctx context.Context, p *revision.Page, known revision.PageLinks) {
	if known.Text == "" || known.Text == p.TextID() {
		return
	}
	text, blocks, _ := strings.Cut(known.Text, revision.TextSeparator)
	read, err := revision.ReadText(ctx, h.content, text, blocks)
	if err != nil {
		return
	}
	p.Text, p.Blocks, p.Derived = text, blocks, content.Title(read.Markdown)
	if p.Order == "" {
		p.Slug = cmp.Or(content.Slug(p.Name()), p.Slug)
	}
}

// survey reads a map of the head, and what is lacking of it in the nearest revision that has it.
func (h *headPlan) survey(ctx context.Context, root func(revision.Revision) string) (v objects.Survey, older map[string]objects.Entry, err error) {
	if v, err = h.content.Survey(ctx, root(h.was)); err != nil || len(v.Gone) == 0 {
		return v, nil, err
	}
	older = map[string]objects.Entry{}
	lacking, from := []objects.Survey{v}, ""
	for _, r := range h.line {
		then, err := h.content.Survey(ctx, root(r.Revision))
		if err != nil {
			return v, nil, err
		}
		for id, e := range then.Entries {
			if !slices.ContainsFunc(lacking, func(s objects.Survey) bool { return !s.Lacks(id) }) {
				older[id] = e
			}
		}
		from = r.ID
		if len(then.Gone) == 0 {
			break
		}
		lacking = append(lacking, then)
	}
	outcome := "what was in it is lost, but for texts that are known otherwise"
	if from != "" {
		outcome = fmt.Sprintf("its pages stand as in revision %s, with their texts of now as far as those are known", from)
	}
	at, author := h.brought(func(r revision.Revision) bool { return root(r) == root(h.was) })
	h.note(Damage{Kind: DamagedPart, ID: v.Gone[0], Revision: at, Author: author, Outcome: outcome, GivenUp: true}, v.Gone...)
	return v, older, nil
}

// brought finds the oldest revision in a row, from the head back, that has something: it brought it.
func (h *headPlan) brought(has func(revision.Revision) bool) (id, author string) {
	id, author = h.from.Revision, h.was.Author
	for _, r := range h.line {
		if !has(r.Revision) {
			break
		}
		id, author = r.ID, r.Author
	}
	for at := h.patient.merged(id); at != ""; at = h.patient.first(at) { // who wrote it, not who merged it
		r, known := h.patient.known[at]
		if !known || !has(r) {
			break
		}
		id, author = at, r.Author
	}
	return id, author
}

// merged is what a merge brought in, first what a revision was made of; "" if there is none.
func (p *patient) merged(id string) string {
	if r := p.known[id]; r.Type == api.RevisionMerge && len(r.Parents) > 1 {
		return r.Parents[1]
	}
	return ""
}

func (p *patient) first(id string) string {
	if r := p.known[id]; len(r.Parents) > 0 {
		return r.Parents[0]
	}
	return ""
}

// mendTexts sees to the texts of pages or reusable contents.
func (h *headPlan) mendTexts(ctx context.Context, kind string, pages map[string]*revision.Page, root func(revision.Revision) string) error {
	var hashes []string
	for _, p := range pages {
		if p.Text != "" {
			hashes = append(hashes, p.Text, p.Blocks)
		}
	}
	bad, err := h.content.Unreadable(ctx, hashes)
	if err != nil || len(bad) == 0 {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(pages)) {
		p := pages[id]
		if p.Text == "" || !bad[p.Text] && !bad[p.Blocks] {
			continue
		}
		missing := slices.DeleteFunc([]string{p.Text, p.Blocks}, func(hash string) bool { return !bad[hash] })
		if err := h.mendText(ctx, kind, pages, id, missing, root); err != nil {
			return err
		}
	}
	return nil
}

// mendText gives a page its last readable text. Blocks alone are found again in the text.
func (h *headPlan) mendText(ctx context.Context, kind string, pages map[string]*revision.Page, id string, bad []string, root func(revision.Revision) string) error {
	p := *pages[id]
	lost := p.TextID()
	at, author := h.brought(func(r revision.Revision) bool {
		e, err := h.content.Get(ctx, root(r), id)
		was, decoded := revision.DecodePage(id, e[id])
		return err == nil && decoded == nil && was.TextID() == lost
	})
	d := Damage{Kind: kind, ID: id, Name: p.Name(), Revision: at, Author: author}
	old, previous, from := h.lastText(ctx, id, lost, root)
	switch {
	case !slices.Contains(bad, p.Text):
		markdown, err := h.content.Object(ctx, p.Text)
		if err != nil {
			return err
		}
		if old == nil {
			previous = h.tableOf(ctx, &p, root)
		}
		t, err := content.Parse(id, markdown, previous)
		if err != nil {
			return fmt.Errorf("page %s: %w", id, err)
		}
		h.texts[id] = t
		d.Outcome = "its text is there; its blocks are found again"
	case old != nil:
		p.Text, p.Blocks, p.Derived = old.Text, old.Blocks, old.Derived
		d.GivenUp, d.Outcome = true, "its text goes back to that of revision "+from
		h.patient.wants(h.id, id, old)
	default:
		d.GivenUp, d.Outcome = true, "no text of it can be read; it is taken out"
		delete(pages, id)
		for _, child := range pages {
			if child.Parent == id {
				child.Parent = p.Parent
			}
		}
		h.patient.wants(h.id, id, &revision.Page{ID: id, Parent: p.Parent, Type: p.Type, Title: p.Title, Slug: p.Slug})
		h.note(d, bad...)
		return nil
	}
	pages[id] = &p
	h.note(d, bad...)
	return nil
}

// lastText finds the last readable text of a page that is another one.
func (h *headPlan) lastText(ctx context.Context, id, lost string, root func(revision.Revision) string) (p *revision.Page, text content.Text, from string) {
	for _, r := range h.line {
		e, err := h.content.Get(ctx, root(r.Revision), id)
		if err != nil {
			continue
		}
		was, ok := e[id]
		if !ok {
			return nil, text, ""
		}
		p, err := revision.DecodePage(id, was)
		if err != nil || p.Text == "" || p.TextID() == lost {
			continue
		}
		if bad, err := h.content.Unreadable(ctx, []string{p.Text, p.Blocks}); err != nil || len(bad) > 0 {
			continue
		}
		if text, err = revision.ReadText(ctx, h.content, p.Text, p.Blocks); err == nil {
			return p, text, r.ID
		}
	}
	return nil, text, ""
}

// readFiles finds every file in its last readable state.
func (h *headPlan) readFiles(ctx context.Context) error {
	v, older, err := h.survey(ctx, revision.FilesOf)
	if err != nil {
		return err
	}
	h.files = maps.Clone(v.Entries)
	maps.Copy(h.files, older)
	for _, id := range slices.Sorted(maps.Keys(h.files)) {
		whole, err := h.content.Whole(ctx, h.files[id].Refs)
		if err != nil {
			return err
		}
		if !whole {
			if err := h.mendFile(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// mendFile gives a file its last readable state, or takes it out.
func (h *headPlan) mendFile(ctx context.Context, id string) error {
	lost := h.files[id]
	f, err := revision.DecodeFile(id, lost)
	if err != nil {
		return err
	}
	at, author := h.brought(func(r revision.Revision) bool {
		e, err := h.content.Get(ctx, r.Files, id)
		return err == nil && string(e[id].Value) == string(lost.Value)
	})
	d := Damage{Kind: DamagedFile, ID: id, Name: f.Name, Revision: at, Author: author, GivenUp: true, Outcome: "no state of it can be read; it is taken out"}
	delete(h.files, id)
	for _, r := range h.line {
		e, err := h.content.Get(ctx, r.Files, id)
		if err != nil {
			continue
		}
		was, ok := e[id]
		if !ok {
			break
		}
		if whole, err := h.content.Whole(ctx, was.Refs); err == nil && whole {
			h.files[id], d.Outcome = was, "it goes back to revision "+r.ID
			break
		}
	}
	return h.noteFile(ctx, d, lost.Refs)
}

// noteFile notes a damaged file with what is missing of it.
func (h *headPlan) noteFile(ctx context.Context, d Damage, refs []string) error {
	broken, err := h.content.Broken(ctx, refs)
	h.note(d, broken...)
	return err
}
