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

// TestLinkResolutionAgreesCampaign imports random sources and edits them. After each step it compares the lists of
// links and backlinks, the merge rules, the results of imports, PDFs and documents with a model of the design.
//
//wsd:serial
func TestLinkResolutionAgreesCampaign(t *testing.T) {
	t.Parallel()
	trees, seed := storetest.Campaign(t, "resolver", 10, 2000)
	var count tally
	t.Cleanup(func() { t.Log(count.String()) })
	for run := range trees {
		t.Run(strconv.Itoa(run), func(t *testing.T) {
			t.Parallel()
			k := &growth{grove: newGrove(seed, run), w: servertest.NewWorld(t, storetest.Memory()), tally: &count}
			k.begin()
			for range 6 {
				k.step()
			}
		})
	}
}

type tally struct{ states, links, broken, matched, anchors, printed, documents, gates atomic.Int64 }

func (c *tally) String() string {
	return fmt.Sprintf("%d states; %d links, %d of them broken, %d by name or case, %d to anchors; %d links of PDFs, %d of documents; %d "+
		"gates",
		c.states.Load(), c.links.Load(), c.broken.Load(), c.matched.Load(), c.anchors.Load(), c.printed.Load(), c.documents.Load(),
		c.gates.Load())
}

// growth is a space under random changes, together with its model.
type growth struct {
	*grove

	w       *servertest.World
	space   string
	library *library
	tally   *tally
}

func (k *growth) begin() {
	k.space = k.w.NewSpace().ID
	servertest.Do(k.w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: k.space, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)},
	})
	ref := k.w.NewRequest("editor", k.space)
	k.w.Change(ref, servertest.SetVariables("", "where", variableText))
	k.w.MustMerge(ref)
	k.share()
	k.library = k.read()
	for _, source := range []string{"one", "two", "site"}[:2+k.IntN(2)] {
		k.addFile(source)
		k.importSource(source)
	}
}

// share creates two reusable contents, the second of which includes the first.
func (k *growth) share() {
	for _, title := range []string{"Inner", "Outer"} {
		ref := k.w.NewRequest("editor", k.space)
		made := k.w.Change(ref, servertest.InsertReusable(title, k.reusableText()))
		k.w.MustMerge(ref)
		k.reusables = append(k.reusables, made.Changes[0].ReusableContent.ID)
	}
}

func (k *growth) step() {
	k.w.Clock.Advance(1)
	if source := k.pick("one", "two", "site"); k.IntN(3) == 0 {
		for range 1 + k.IntN(3) {
			k.develop(source)
		}
		k.importSource(source)
		return
	}
	k.edit()
}

// importSource imports the present state of a source.
func (k *growth) importSource(source string) {
	body := k.publish(k.w, source)
	made := servertest.Do(k.w, "editor", api.ImportContent, api.ImportInput{Space: k.space, Body: body})
	k.library = k.read()
	broken, said := 0, 0
	all := k.library.broken()
	for _, p := range k.library.pages {
		for key, isBroken := range all {
			if isBroken && p.source == made.Source && strings.HasPrefix(key, p.id+" ") {
				broken++
			}
		}
	}
	for _, n := range made.BrokenLinks {
		said += n
	}
	servertest.Equal(k.w.T, "broken links of the import of "+source, broken, said)
	k.check()
}

// edit changes the space through a change request and checks its rule on broken links.
func (k *growth) edit() {
	before := k.library
	ref := k.w.NewRequest("editor", k.space)
	change := k.randomChange(before)
	if a := servertest.Try(k.w, "editor", api.EditChangeRequestContent, api.EditContentInput{
		ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{change}},
	}); a.Status != http.StatusOK || k.w.ReadRequest(ref).Revision == k.w.ReadRequest(ref).RevisionInitial {
		return // refused, for example because the slug is taken
	}
	gates := servertest.Do(k.w, "reviewer", api.GetChangeRequestMergeability, ref).Rules
	if result := servertest.Do(k.w, "reviewer", api.MergeChangeRequest,
		api.MergeInput{ChangeRequestRef: ref}); result.Result != api.OutcomeMerge {
		k.w.T.Fatalf("merge: %+v", result)
	}
	k.library = k.read()
	breaks := 0
	was := before.broken()
	for key, isBroken := range k.library.broken() {
		if isBroken && !was[key] {
			breaks++
		}
	}
	for _, gate := range gates {
		if gate.Rule != api.GateLinks {
			continue
		}
		servertest.Equal(k.w.T, "links that the change breaks: "+gate.Message, breaks, gate.Count)
		k.tally.gates.Add(1)
	}
	for _, then := range slices.Concat(before.pages, before.files) {
		for _, v := range slices.Concat(k.library.pages, k.library.files) {
			if v.id == then.id {
				servertest.Equal(k.w.T, "path in its source of "+v.id, then.source+" "+then.path, v.source+" "+v.path)
			}
		}
	}
	k.check()
}

// use is a link in a text.
type use struct {
	label, href string // as in the source text
	to          string // with variables replaced
	isImage     bool
}

var linkPattern = regexp.MustCompile(`(!?)\[([LI]\w+)\]\(([^)]*)\)`)

func (v *volume) uses() (found []use) {
	for _, m := range linkPattern.FindAllStringSubmatch(v.text, -1) {
		if u := (use{m[2], m[3], strings.ReplaceAll(m[3], variable, variableText), m[1] != ""}); u.to != "" {
			found = append(found, u)
		}
	}
	return found
}

// isExternal reports whether the destination is a web address.
func (u use) isExternal() bool { return strings.Contains(u.to, "//") && !strings.HasPrefix(u.to, ".") }

func (u use) key(p *volume) string {
	return p.id + " " + u.href + map[bool]string{true: " (image)"}[u.isImage]
}

// broken returns the links by key, each with whether it is broken.
func (l *library) broken() map[string]bool {
	found := map[string]bool{}
	for _, p := range l.pages {
		for _, u := range p.uses() {
			found[u.key(p)] = !u.isExternal() && l.resolve(p, u.to, u.isImage).isBroken()
		}
	}
	return found
}

// check compares all operations that resolve links with the model.
func (k *growth) check() {
	k.tally.states.Add(1)
	k.checkLinks()
	k.checkBacklinks()
	k.checkPDF()
	k.checkDocuments()
	if k.w.T.Failed() {
		k.w.T.Log(k.library)
		k.w.T.FailNow()
	}
}

// describeLink returns the resolution of a link in an answer.
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
func (l *library) wantLink(p *volume, u use) string {
	found := l.resolve(p, u.to, u.isImage)
	switch {
	case u.isExternal():
		return "ok  away"
	case found.isBroken():
		return fmt.Sprintf("broken %s anchor %v", found.match, found.to != nil)
	case found.isAnchor:
		return fmt.Sprintf("ok %s %s#%s", found.match, found.to.id, found.fragment)
	}
	return fmt.Sprintf("ok %s %s", found.match, found.to.id)
}

func (k *growth) checkLinks() {
	rows := map[string][]string{}
	for _, l := range servertest.Do(k.w, "reader", api.ListSpaceLinks, api.ListLinksInput{
		Space: k.space, ListOptions: api.ListOptions{Limit: api.Some(1000)},
	}).Items {
		page := l.Locations[0].Page.ID
		rows[page+" "+l.Href] = append(rows[page+" "+l.Href], describeLink(l))
	}
	for _, p := range k.library.pages {
		for _, u := range p.uses() {
			want := k.library.wantLink(p, u)
			k.tallyLink(p, u)
			if !slices.Contains(rows[p.id+" "+u.href], want) {
				k.w.T.Errorf("%s of %s (image %v): %q, by the reference %q", u.href, p.id, u.isImage, rows[p.id+" "+u.href], want)
			}
		}
	}
}

func (k *growth) tallyLink(p *volume, u use) {
	found := k.library.resolve(p, u.to, u.isImage)
	k.tally.links.Add(1)
	if !u.isExternal() && found.isBroken() {
		k.tally.broken.Add(1)
	}
	if found.match != "" {
		k.tally.matched.Add(1)
	}
	if found.fragment != "" {
		k.tally.anchors.Add(1)
	}
}

// checkBacklinks compares the uses of every file.
func (k *growth) checkBacklinks() {
	for _, f := range k.library.files {
		users, want := map[string]bool{}, map[string]bool{}
		for _, r := range servertest.Do(k.w, "reader", api.ListContentBacklinks, api.ListBacklinksInput{
			Space: k.space, File: f.id, ListOptions: api.ListOptions{Limit: api.Some(1000)},
		}).Items {
			users[r.Page.ID] = true
		}
		for _, p := range k.library.pages {
			for _, u := range p.uses() {
				if !u.isExternal() && k.library.resolve(p, u.to, u.isImage).to == f {
					want[p.id] = true
				}
			}
		}
		servertest.Equal(k.w.T, "users of "+f.id, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(users)))
	}
}

var (
	wordPattern  = regexp.MustCompile(`\bw\d+x\b`)
	labelPattern = regexp.MustCompile(`\bL\d+x\b`)
)

// checkPDF compares the links of a PDF.
func (k *growth) checkPDF() {
	pdf := servertest.Do(k.w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: k.space})
	a := k.w.Call("", http.MethodGet, strings.TrimPrefix(pdf.URL, servertest.PublicURL), nil, http.StatusOK)
	links := map[string]texttest.Link{}
	for _, link := range texttest.Links(k.w.T, a.Body) {
		links[labelPattern.FindString(link.Text)] = link
	}
	labels := map[string]int{}
	for _, p := range k.library.pages {
		for _, u := range p.uses() {
			labels[u.label]++
		}
	}
	for _, p := range k.library.pages {
		for _, u := range p.uses() {
			if u.isImage || labels[u.label] > 1 { // a page renamed in its source may occur twice
				continue
			}
			k.tally.printed.Add(1)
			found := k.library.resolve(p, u.to, false)
			link, isLink := links[u.label]
			switch leads := !u.isExternal() && !found.isBroken() && found.to.isPage(); {
			case u.isExternal():
				if link.URL != u.to && strings.Contains(u.to, "://") {
					k.w.T.Errorf("%s leads to %q in the PDF", u.to, link.URL)
				}
			case leads != isLink:
				k.w.T.Errorf("%s of %s is a link in the PDF: %v, by the reference: %v", u.to, p.id, isLink, leads)
			case leads:
				want := found.to.text[found.offset:]
				if found.fragment == "" {
					want = found.to.title + " " + want
				}
				if got, want := wordPattern.FindString(link.To), wordPattern.FindString(want); got != want {
					k.w.T.Errorf("%s of %s leads to %q in the PDF, by the reference to %q", u.to, p.id, got, want)
				}
			}
		}
	}
}

// String formats the library for failure messages.
func (l *library) String() string {
	var out strings.Builder
	for _, v := range slices.Concat(l.pages, l.files) {
		fmt.Fprintf(&out, "\n%s in %q /%s of %q at %q, aliases %v\n%s", v.id, v.parent, l.path(v), v.source, v.path, v.aliases, v.text)
	}
	return out.String()
}

// read loads the present state of the space into a model.
func (k *growth) read() *library {
	heads, err := k.w.Store.LoadHeads(k.w.T.Context(), k.w.Org, k.space)
	k.w.Must(err)
	return &library{pages: k.readPages(heads[k.space]), files: k.readFiles(heads[k.space])}
}

func (k *growth) readPages(head store.Head) []*volume {
	c := k.w.Store.Content(k.space)
	entries, err := c.All(k.w.T.Context(), head.Pages)
	k.w.Must(err)
	texts, below := k.readReusables(), map[string][]*volume{}
	for id, e := range entries {
		p, err := revision.DecodePage(id, e)
		k.w.Must(err)
		v := &volume{id: id, parent: p.Parent, order: p.Order, name: p.Slug, title: p.Name(), aliases: map[string]int{}}
		if p.Origin != nil {
			v.source, v.path = p.Origin.Source, p.Origin.Path
		}
		text, err := revision.ReadText(k.w.T.Context(), c, p.Text, p.Blocks)
		k.w.Must(err)
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
	var read func(parent string) []*volume
	read = func(parent string) (found []*volume) {
		slices.SortFunc(below[parent], func(a, b *volume) int { return strings.Compare(a.order+" "+a.id, b.order+" "+b.id) })
		for _, v := range below[parent] {
			found = append(append(found, v), read(v.id)...)
		}
		return found
	}
	return read("")
}

// readReusables returns the texts of the reusable contents by id.
func (k *growth) readReusables() map[string]string {
	texts := map[string]string{}
	for _, id := range k.reusables {
		r := servertest.Do(k.w, "reader", api.GetContentReusableContent, api.ReusableContentInput{
			Space: k.space, ReusableContent: id, ReusableContentOptions: api.ReusableContentOptions{Format: api.FormatMarkdown},
		})
		texts[id] = *r.Markdown
	}
	return texts
}

// expandIncludes replaces the includes of a text by reusable contents.
func expandIncludes(text string, texts map[string]string) string {
	for range texts { // the maximum nesting
		for id, shared := range texts {
			shared = strings.ReplaceAll(strings.TrimRight(shared, "\n"), variable, variableText) // links are listed with variables replaced
			text = strings.ReplaceAll(text, include(id), shared)
		}
	}
	return text
}

func (k *growth) readFiles(head store.Head) (files []*volume) {
	entries, err := k.w.Store.Content(k.space).All(k.w.T.Context(), head.Files)
	k.w.Must(err)
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		f, err := revision.DecodeFile(id, entries[id])
		k.w.Must(err)
		v := &volume{id: id, name: f.Name, contentType: f.ContentType}
		if f.Origin != nil {
			v.source, v.path = f.Origin.Source, f.Origin.Path
		}
		files = append(files, v)
	}
	return files
}
