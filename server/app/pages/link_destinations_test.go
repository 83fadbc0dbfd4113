package pages_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/text/texttest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestLinkResolutionMatchesModelCampaign imports random sources and edits them. After each step it compares the lists
// of links and backlinks, the merge rules, the results of imports, PDFs and documents with a model of the design.
//
//wsd:serial
func TestLinkResolutionMatchesModelCampaign(t *testing.T) {
	t.Parallel()
	trees, seed := storetest.Campaign(t, "resolver", 10, 2000)
	var counts checkCounts
	t.Cleanup(func() { t.Log(counts.String()) })
	for run := range trees {
		t.Run(strconv.Itoa(run), func(t *testing.T) {
			t.Parallel()
			s := &randomSpace{
				sourceGenerator: newSourceGenerator(seed, run), w: servertest.NewWorld(t, storetest.Memory()), counts: &counts,
			}
			s.setUp()
			for range 6 {
				s.step()
			}
		})
	}
}

type checkCounts struct{ states, links, broken, matched, anchors, printed, documents, mergeRules atomic.Int64 }

func (c *checkCounts) String() string {
	return fmt.Sprintf("%d states; %d links, %d of them broken, %d by name or case, %d to anchors; %d links of PDFs, %d of documents; %d "+
		"merge rules",
		c.states.Load(), c.links.Load(), c.broken.Load(), c.matched.Load(), c.anchors.Load(), c.printed.Load(), c.documents.Load(),
		c.mergeRules.Load())
}

// randomSpace is a space under random changes, together with its model.
type randomSpace struct {
	*sourceGenerator

	w      *servertest.World
	space  string
	model  *spaceModel
	counts *checkCounts
}

func (s *randomSpace) setUp() {
	s.space = s.w.NewSpace().ID
	servertest.Do(s.w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: s.space, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)},
	})
	ref := s.w.NewRequest("editor", s.space)
	s.w.Change(ref, servertest.SetVariables("", "where", variableText))
	s.w.MustMerge(ref)
	s.createReusables()
	s.model = s.loadModel()
	for _, source := range []string{"one", "two", "site"}[:2+s.IntN(2)] {
		s.addFile(source)
		s.importSource(source)
	}
}

// createReusables creates two reusable contents, the second of which includes the first.
func (s *randomSpace) createReusables() {
	for _, title := range []string{"Inner", "Outer"} {
		ref := s.w.NewRequest("editor", s.space)
		made := s.w.Change(ref, servertest.InsertReusable(title, s.reusableText()))
		s.w.MustMerge(ref)
		s.reusables = append(s.reusables, made.Changes[0].ReusableContent.ID)
	}
}

func (s *randomSpace) step() {
	s.w.Clock.Advance(1)
	if source := s.pick("one", "two", "site"); s.IntN(3) == 0 {
		for range 1 + s.IntN(3) {
			s.changeSource(source)
		}
		s.importSource(source)
		return
	}
	s.edit()
}

// importSource imports the present state of a source.
func (s *randomSpace) importSource(source string) {
	body := s.publish(s.w, source)
	made := servertest.Do(s.w, "editor", api.ImportContent, api.ImportInput{Space: s.space, Body: body})
	s.model = s.loadModel()
	broken, said := 0, 0
	all := s.model.brokenLinks()
	for _, p := range s.model.pages {
		for key, isBroken := range all {
			if isBroken && p.source == made.Source && strings.HasPrefix(key, p.id+" ") {
				broken++
			}
		}
	}
	for _, n := range made.BrokenLinks {
		said += n
	}
	servertest.Equal(s.w.T, "broken links of the import of "+source, broken, said)
	s.check()
}

// edit changes the space through a change request and checks its rule on broken links.
func (s *randomSpace) edit() {
	before := s.model
	ref := s.w.NewRequest("editor", s.space)
	change := s.randomChange(before)
	if a := servertest.Try(s.w, "editor", api.EditChangeRequestContent, api.EditContentInput{
		ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{change}},
	}); a.Status != http.StatusOK || s.w.ReadRequest(ref).Revision == s.w.ReadRequest(ref).RevisionInitial {
		return // refused, for example because the slug is taken
	}
	rules := servertest.Do(s.w, "reviewer", api.GetChangeRequestMergeability, ref).Rules
	if result := servertest.Do(s.w, "reviewer", api.MergeChangeRequest,
		api.MergeInput{ChangeRequestRef: ref}); result.Result != api.OutcomeMerge {
		s.w.T.Fatalf("merge: %+v", result)
	}
	s.model = s.loadModel()
	breaks := 0
	was := before.brokenLinks()
	for key, isBroken := range s.model.brokenLinks() {
		if isBroken && !was[key] {
			breaks++
		}
	}
	for _, gate := range rules {
		if gate.Rule != api.GateLinks {
			continue
		}
		servertest.Equal(s.w.T, "links that the change breaks: "+gate.Message, breaks, gate.Count)
		s.counts.mergeRules.Add(1)
	}
	for _, then := range slices.Concat(before.pages, before.files) {
		for _, v := range slices.Concat(s.model.pages, s.model.files) {
			if v.id == then.id {
				servertest.Equal(s.w.T, "path in its source of "+v.id, then.source+" "+then.path, v.source+" "+v.path)
			}
		}
	}
	s.check()
}

// textLink is a link in a text.
type textLink struct {
	label, href string // as in the source text
	destination string // with variables replaced
	isImage     bool
}

var linkPattern = regexp.MustCompile(`(!?)\[([LI]\w+)\]\(([^)]*)\)`)

func (v *modelItem) links() (found []textLink) {
	for _, m := range linkPattern.FindAllStringSubmatch(v.text, -1) {
		if u := (textLink{m[2], m[3], strings.ReplaceAll(m[3], variable, variableText), m[1] != ""}); u.destination != "" {
			found = append(found, u)
		}
	}
	return found
}

// isExternal reports whether the destination is a web address.
func (u textLink) isExternal() bool {
	return strings.Contains(u.destination, "//") && !strings.HasPrefix(u.destination, ".")
}

func (u textLink) key(p *modelItem) string {
	return p.id + " " + u.href + map[bool]string{true: " (image)"}[u.isImage]
}

// brokenLinks reports, by key, whether each link is broken.
func (l *spaceModel) brokenLinks() map[string]bool {
	found := map[string]bool{}
	for _, p := range l.pages {
		for _, u := range p.links() {
			found[u.key(p)] = !u.isExternal() && l.resolve(p, u.destination, u.isImage).isBroken()
		}
	}
	return found
}

// check compares all operations that resolve links with the model.
func (s *randomSpace) check() {
	s.counts.states.Add(1)
	s.checkLinks()
	s.checkBacklinks()
	s.checkPDF()
	s.checkDocuments()
	if s.w.T.Failed() {
		s.w.T.Log(s.model)
		s.w.T.FailNow()
	}
}

// describeLink formats the status, match and target of a link in a response.
func describeLink(l api.Link) string {
	text := fmt.Sprintf("%s %s", l.Status, l.Match)
	if l.Status == api.LinkBroken {
		return fmt.Sprintf("%s anchor %v", text, l.Problem == api.NoSuchAnchor)
	}
	if l.Target.Kind == api.ReferenceURL {
		return text + " away"
	}
	if l.Target.File != nil {
		return text + " " + l.Target.File.ID
	}
	text += " " + l.Target.Page.ID
	if l.Target.InternalLocation != nil {
		text += "#" + l.Target.InternalLocation.Anchor
	}
	return text
}

// wantLink returns the resolution of a link by the model, in the form of describeLink.
func (l *spaceModel) wantLink(p *modelItem, u textLink) string {
	found := l.resolve(p, u.destination, u.isImage)
	switch {
	case u.isExternal():
		return "ok  away"
	case found.isBroken():
		return fmt.Sprintf("broken %s anchor %v", found.match, found.target != nil)
	case found.isAnchor:
		return fmt.Sprintf("ok %s %s#%s", found.match, found.target.id, found.fragment)
	}
	return fmt.Sprintf("ok %s %s", found.match, found.target.id)
}

func (s *randomSpace) checkLinks() {
	rows := map[string][]string{}
	for _, l := range servertest.Do(s.w, "reader", api.ListSpaceLinks, api.ListLinksInput{
		Space: s.space, ListOptions: api.ListOptions{Limit: api.Some(1000)},
	}).Items {
		page := l.Locations[0].Page.ID
		rows[page+" "+l.Href] = append(rows[page+" "+l.Href], describeLink(l))
	}
	for _, p := range s.model.pages {
		for _, u := range p.links() {
			want := s.model.wantLink(p, u)
			s.countLink(p, u)
			if !slices.Contains(rows[p.id+" "+u.href], want) {
				s.w.T.Errorf("%s of %s (image %v): %q, by the reference %q", u.href, p.id, u.isImage, rows[p.id+" "+u.href], want)
			}
		}
	}
}

func (s *randomSpace) countLink(p *modelItem, u textLink) {
	found := s.model.resolve(p, u.destination, u.isImage)
	s.counts.links.Add(1)
	if !u.isExternal() && found.isBroken() {
		s.counts.broken.Add(1)
	}
	if found.match != "" {
		s.counts.matched.Add(1)
	}
	if found.fragment != "" {
		s.counts.anchors.Add(1)
	}
}

// checkBacklinks compares the pages that use each file, as listed by the server, with the model.
func (s *randomSpace) checkBacklinks() {
	for _, f := range s.model.files {
		users, want := map[string]bool{}, map[string]bool{}
		for _, r := range servertest.Do(s.w, "reader", api.ListContentBacklinks, api.ListBacklinksInput{
			Space: s.space, File: f.id, ListOptions: api.ListOptions{Limit: api.Some(1000)},
		}).Items {
			users[r.Page.ID] = true
		}
		for _, p := range s.model.pages {
			for _, u := range p.links() {
				if !u.isExternal() && s.model.resolve(p, u.destination, u.isImage).target == f {
					want[p.id] = true
				}
			}
		}
		servertest.Equal(s.w.T, "users of "+f.id, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(users)))
	}
}

var (
	wordPattern  = regexp.MustCompile(`\bw\d+x\b`)
	labelPattern = regexp.MustCompile(`\bL\d+x\b`)
)

// checkPDF compares the links in the PDF of the space with the model.
func (s *randomSpace) checkPDF() {
	pdf := servertest.Do(s.w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: s.space})
	a := s.w.Call("", http.MethodGet, strings.TrimPrefix(pdf.URL, servertest.PublicURL), nil, http.StatusOK)
	links := map[string]texttest.Link{}
	for _, link := range texttest.Links(s.w.T, a.Body) {
		links[labelPattern.FindString(link.Text)] = link
	}
	labels := map[string]int{}
	for _, p := range s.model.pages {
		for _, u := range p.links() {
			labels[u.label]++
		}
	}
	for _, p := range s.model.pages {
		for _, u := range p.links() {
			// skip labels that occur twice, since a page renamed in its source may be imported twice
			if u.isImage || labels[u.label] > 1 {
				continue
			}
			s.counts.printed.Add(1)
			found := s.model.resolve(p, u.destination, false)
			link, isLink := links[u.label]
			switch leads := !u.isExternal() && !found.isBroken() && found.target.isPage(); {
			case u.isExternal():
				if link.URL != u.destination && strings.Contains(u.destination, "://") {
					s.w.T.Errorf("%s leads to %q in the PDF", u.destination, link.URL)
				}
			case leads != isLink:
				s.w.T.Errorf("%s of %s is a link in the PDF: %v, by the reference: %v", u.destination, p.id, isLink, leads)
			case leads:
				want := found.target.text[found.offset:]
				if found.fragment == "" {
					want = found.target.title + " " + want
				}
				if got, want := wordPattern.FindString(link.To), wordPattern.FindString(want); got != want {
					s.w.T.Errorf("%s of %s leads to %q in the PDF, by the reference to %q", u.destination, p.id, got, want)
				}
			}
		}
	}
}

// String formats the model for failure messages.
func (l *spaceModel) String() string {
	var out strings.Builder
	for _, v := range slices.Concat(l.pages, l.files) {
		fmt.Fprintf(&out, "\n%s in %q /%s of %q at %q, aliases %v\n%s", v.id, v.parent, l.path(v), v.source, v.path, v.aliases, v.text)
	}
	return out.String()
}

// loadModel loads the present state of the space into a model.
func (s *randomSpace) loadModel() *spaceModel {
	heads, err := s.w.Store.LoadHeads(s.w.T.Context(), s.w.Org, s.space)
	s.w.Must(err)
	return &spaceModel{pages: s.readPages(heads[s.space]), files: s.readFiles(heads[s.space])}
}

func (s *randomSpace) readPages(head store.Head) []*modelItem {
	c := s.w.Store.Content(s.space)
	entries, err := c.All(s.w.T.Context(), head.Pages)
	s.w.Must(err)
	texts, below := s.readReusables(), map[string][]*modelItem{}
	for id, e := range entries {
		p, err := revision.DecodePage(id, e)
		s.w.Must(err)
		v := &modelItem{id: id, parent: p.Parent, order: p.Order, name: p.Slug, title: p.Name(), aliases: map[string]int{}}
		if p.Origin != nil {
			v.source, v.path = p.Origin.Source, p.Origin.Path
		}
		text, err := revision.ReadText(s.w.T.Context(), c, p.Text, p.Blocks)
		s.w.Must(err)
		v.stored = string(text.Markdown)
		v.text = expandIncludes(v.stored, texts)
		for _, b := range text.Blocks {
			for _, name := range b.Aliases {
				if _, known := v.aliases[name]; !known {
					v.aliases[name] = len(expandIncludes(v.stored[:b.Start], texts))
				}
			}
		}
		below[p.Parent] = append(below[p.Parent], v)
	}
	var inOrder func(parent string) []*modelItem
	inOrder = func(parent string) (found []*modelItem) {
		slices.SortFunc(below[parent], func(a, b *modelItem) int { return strings.Compare(a.order+" "+a.id, b.order+" "+b.id) })
		for _, v := range below[parent] {
			found = append(append(found, v), inOrder(v.id)...)
		}
		return found
	}
	return inOrder("")
}

// readReusables returns the texts of the reusable contents by id.
func (s *randomSpace) readReusables() map[string]string {
	texts := map[string]string{}
	for _, id := range s.reusables {
		r := servertest.Do(s.w, "reader", api.GetContentReusableContent, api.ReusableContentInput{
			Space: s.space, ReusableContent: id, ReusableContentOptions: api.ReusableContentOptions{Format: api.FormatMarkdown},
		})
		texts[id] = *r.Markdown
	}
	return texts
}

// expandIncludes replaces the includes of a text with reusable contents.
func expandIncludes(text string, texts map[string]string) string {
	for range texts { // the maximum nesting
		for id, shared := range texts {
			shared = strings.ReplaceAll(strings.TrimRight(shared, "\n"), variable, variableText) // links are listed with variables replaced
			text = strings.ReplaceAll(text, includeExpression(id), shared)
		}
	}
	return text
}

func (s *randomSpace) readFiles(head store.Head) (files []*modelItem) {
	entries, err := s.w.Store.Content(s.space).All(s.w.T.Context(), head.Files)
	s.w.Must(err)
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		f, err := revision.DecodeFile(id, entries[id])
		s.w.Must(err)
		v := &modelItem{id: id, name: f.Name, contentType: f.ContentType}
		if f.Origin != nil {
			v.source, v.path = f.Origin.Source, f.Origin.Path
		}
		files = append(files, v)
	}
	return files
}
