package folder

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
)

// node is a page of the tree that a folder describes.
type node struct {
	key      string // path of a document; for a group or link the key of its parent with its title or address
	title    string // in SUMMARY.md, "" if it is that of the text
	kind     dialects.Kind
	link     string
	parent   string // key, "" at the root
	children []string
}

// tree is the tree that a folder describes, by key.
type tree struct {
	nodes map[string]*node
	order []string // keys in reading order
}

func newTree(entries []*dialects.Entry) tree {
	t := tree{nodes: map[string]*node{"": {}}}
	t.add(entries, "")
	return t
}

func (t *tree) add(entries []*dialects.Entry, parent string) {
	for _, e := range entries {
		n := &node{title: e.Title, kind: e.Kind, link: e.Link, parent: parent, key: e.Path}
		switch {
		case e.Kind == dialects.Group && e.Path != "":
			n.title, n.key = path.Base(e.Path), e.Path+"/"
		case e.Kind == dialects.Group:
			n.key = parent + "#" + e.Title
		case e.Kind == dialects.Link:
			n.key = parent + "#" + e.Link
		}
		for t.nodes[n.key] != nil {
			n.key += "#"
		}
		t.nodes[n.key] = n
		t.order = append(t.order, n.key)
		t.nodes[parent].children = append(t.nodes[parent].children, n.key)
		t.add(e.Children, n.key)
	}
}

// trees returns the trees that the folder described when it was like its state, and describes now. The documents of the former have
// the paths of now, so that a moved document is the same.
func (p *pusher) trees(differences []Difference) (before, after tree) {
	var old, now dialects.Folder
	moved := map[string]string{} // paths now by paths before
	for _, d := range differences {
		if d.Entry.Kind == api.ExportSummary {
			old.SummaryPath = d.Entry.Path
			old.Summary, _ = p.folder.base(d.Entry)
		}
		if d.Entry.Kind == api.ExportPage {
			old.Documents = append(old.Documents, d.Entry.Path)
			if d.Kind == Moved {
				moved[d.Entry.Path] = d.File.Path
			}
		}
	}
	if now.SummaryPath = p.summaryPath(differences); now.SummaryPath == "" && !p.options.Delete { // it stays in the space
		now.SummaryPath, now.Summary = old.SummaryPath, old.Summary
	}
	for _, d := range differences {
		if d.Kind != Deleted && d.File.Path == now.SummaryPath {
			now.Summary, _ = p.folder.Read(now.SummaryPath) // a missing one lists nothing
		}
		switch {
		case d.Kind != Deleted && isDocument(d.File.Path, now.SummaryPath):
			now.Documents = append(now.Documents, d.File.Path)
		case d.Kind == Deleted && d.Entry.Kind == api.ExportPage && !p.options.Delete:
			now.Documents = append(now.Documents, d.Entry.Path) // it stays in the space
		}
	}
	slices.Sort(old.Documents)
	slices.Sort(now.Documents)
	entries, _ := old.Read()
	renameEntries(entries, moved)
	before = newTree(entries)
	entries, p.order = now.Read()
	for _, note := range p.order {
		if note.Kind != dialects.Unlisted {
			p.push.Notes = append(p.push.Notes, note.String())
		}
	}
	return before, newTree(entries)
}

func renameEntries(entries []*dialects.Entry, moved map[string]string) {
	for _, e := range entries {
		if to, ok := moved[e.Path]; ok && e.Kind == dialects.Document {
			e.Path = to
		}
		renameEntries(e.Children, moved)
	}
}

// addTree plans the operations for pages: new ones, other texts, other places and other titles.
func (p *pusher) addTree(before, after tree, differences []Difference) {
	ids := p.ids(before)
	byPath := map[string]Difference{}
	for _, d := range differences {
		if d.Kind != Deleted {
			byPath[d.File.Path] = d
		}
	}
	for _, parent := range append([]string{""}, after.order...) {
		keep := keptOrder(before, after, parent, ids)
		previous := ""
		for _, key := range after.nodes[parent].children {
			p.addNode(placement{before: before, node: after.nodes[key], after: previous, isKept: keep[key]}, byPath[key], ids)
			previous = ids[key]
		}
	}
	for _, key := range slices.Backward(before.order) {
		n := before.nodes[key]
		if after.nodes[key] == nil && n.kind != dialects.Document && ids[key] != "" {
			p.addQuietly(api.ContentChange{Operation: api.DeletePage, Page: ids[key]})
			p.pages.drop(ids[key])
		}
	}
}

// placement is the place of a page in the folder.
type placement struct {
	before tree
	node   *node
	after  string // id of the page before it among its siblings, "" for the first
	isKept bool   // it keeps its place
}

// keptOrder returns the children of a node that keep their place: those with the same parent before, in the longest run that has the
// same order.
func keptOrder(before, after tree, parent string, ids map[string]string) map[string]bool {
	var known []string
	for _, key := range after.nodes[parent].children {
		if n := before.nodes[key]; n != nil && n.parent == parent && ids[key] != "" {
			known = append(known, key)
		}
	}
	var was []string
	if n := before.nodes[parent]; n != nil {
		was = n.children
	}
	position := map[string]int{}
	for i, key := range was {
		position[key] = i
	}
	keep := map[string]bool{}
	for _, i := range longestRun(known, position) {
		keep[known[i]] = true
	}
	return keep
}

// longestRun returns the indexes of a longest run of keys with increasing positions.
func longestRun(keys []string, position map[string]int) (run []int) {
	length, previous := make([]int, len(keys)), make([]int, len(keys))
	best := -1
	for i := range keys {
		length[i], previous[i] = 1, -1
		if i > 0 && length[i-1] > 0 && position[keys[i-1]] < position[keys[i]] { // the usual case: nothing moved
			length[i], previous[i] = length[i-1]+1, i-1
		}
		for j := max(0, i-maxRun); j < i; j++ {
			if position[keys[j]] < position[keys[i]] && length[j]+1 > length[i] {
				length[i], previous[i] = length[j]+1, j
			}
		}
		if best < 0 || length[i] > length[best] {
			best = i
		}
	}
	for i := best; i >= 0; i = previous[i] {
		run = append(run, i)
	}
	return run
}

// maxRun limits how far longestRun looks back.
const maxRun = 2000

// ids returns the ids of the nodes of the tree before, by key.
func (p *pusher) ids(before tree) map[string]string {
	ids := map[string]string{}
	for at, e := range p.known {
		if e.Kind == api.ExportPage {
			ids[at] = e.IDs[0]
		}
	}
	titles := map[[2]string][]string{} // ids of groups and links by id of the parent and title
	for _, page := range p.folder.State.Pages {
		if page.Type != api.PageDocument {
			key := [2]string{page.Parent, strings.Join(strings.Fields(page.Title), " ")}
			titles[key] = append(titles[key], page.ID)
		}
	}
	for _, key := range before.order {
		n := before.nodes[key]
		if n.kind == dialects.Document {
			continue
		}
		at := [2]string{ids[n.parent], n.title}
		if found := titles[at]; len(found) > 0 {
			ids[key], titles[at] = found[0], found[1:]
		}
	}
	p.spare = titles
	return ids
}

// addNode plans the operation for a page of the folder.
func (p *pusher) addNode(at placement, d Difference, ids map[string]string) {
	n := at.node
	was, id := at.before.nodes[n.key], ids[n.key]
	if spare := [2]string{ids[n.parent], n.title}; id == "" && n.kind != dialects.Document && len(p.spare[spare]) > 0 {
		id, p.spare[spare] = p.spare[spare][0], p.spare[spare][1:] // as of a push that was interrupted before it sent the pages in it
		ids[n.key] = id
	}
	change := api.ContentChange{Operation: api.UpdatePage, Page: id}
	if id == "" {
		change = api.ContentChange{Operation: api.InsertPage, Ref: fmt.Sprintf("new-%d", len(p.pages.byID))}
		id = change.Ref
		ids[n.key] = id
		p.pages.byID[id] = &api.ExportedPage{ID: id, Type: api.PageDocument, Title: n.title, Path: n.key}
	}
	changed := change.Operation == api.InsertPage
	if !at.isKept {
		changed = true
		parent := ids[n.parent]
		change.At, change.Into = api.Some(p.pages.place(id, parent, at.after)), api.Some(parent)
		if parent == "" {
			change.Into = api.Null[string]()
		}
	}
	if was == nil && n.title != "" || was != nil && was.title != n.title {
		changed = true
		change.Title = api.Some(n.title)
		p.pages.byID[id].Title = n.title
	}
	switch n.kind {
	case dialects.Group:
		if above := p.pages.byID[ids[n.parent]]; !at.isKept && above != nil && above.Type == api.PageGroup {
			p.refuseGroup(n, above.Title)
			return
		}
		if change.Operation == api.InsertPage {
			change.Type, change.Slug = api.PageGroup, api.Some(p.slug(id, content.Slug(n.title)))
			p.pages.byID[id].Type, p.pages.byID[id].Path = api.PageGroup, ""
		}
	case dialects.Link:
		if change.Operation == api.InsertPage {
			change.Type, change.Target = api.PageLink, &api.ContentRef{Kind: api.RefURL, URL: n.link}
			p.pages.byID[id].Type, p.pages.byID[id].Path = api.PageLink, ""
		}
	case dialects.Document:
		p.addDocument(change, changed, d)
		return
	}
	if changed {
		p.addQuietly(change)
	}
}

// refuseGroup refuses a group in a group: a directory, or an entry of SUMMARY.md.
func (p *pusher) refuseGroup(n *node, above string) {
	if dir, isDirectory := strings.CutSuffix(n.key, "/"); isDirectory {
		p.refuse(RuleOrder, dir, "is in %q, and both have no page of their own: add a README.md to one of them", above)
		return
	}
	p.refuse(RuleOrder, dialects.SummaryName, "has %q in %q, and both have no page of their own: give one of them a page", n.title, above)
}

// addDocument completes the operation for a document and adds it if it changes anything.
func (p *pusher) addDocument(change api.ContentChange, changed bool, d Difference) {
	if d.File.Path == "" { // a document that the folder no longer has and the space keeps
		return
	}
	at := d.File.Path
	if change.Operation == api.InsertPage {
		change.Slug = api.Some(p.slug(change.Ref, slugOf(at)))
		change.SourceName, change.Path = p.folder.Config.Name, at
	}
	if d.Kind == Moved {
		changed = true
		change.SourceName, change.Path = p.source(d.Entry), at
		page := p.pages.byID[d.Entry.IDs[0]]
		page.Path = at
		if page.Slug == slugOf(d.Entry.Path) && page.Slug != slugOf(at) {
			change.Slug = api.Some(p.slug(page.ID, slugOf(at)))
		}
	}
	if p.addSettings(&change, d) {
		changed = true
	}
	v := p.divided[at]
	switch {
	case v != nil:
		p.addParts(change, changed, d, v)
	case p.changed[at]:
		p.addContent(d, change)
	case changed:
		if d.Kind == Same {
			d.Kind = Modified
		}
		p.add(d, change, 0)
	}
}

// slug gives a page the slug that its path or title suggests, with a number while a sibling has it, and returns it.
func (p *pusher) slug(id, suggested string) string {
	slug := p.pages.freeSlug(id, suggested)
	if slug != suggested {
		p.numbered = append(p.numbered, id)
		p.suggested[id] = suggested
	}
	return slug
}

// addSlugs plans the operations for pages whose suggested slug a sibling had when they were planned, and has no longer.
func (p *pusher) addSlugs() {
	for _, id := range p.numbered {
		page := p.pages.byID[id]
		if page == nil || page.Slug == p.suggested[id] {
			continue
		}
		was := page.Slug
		if slug := p.pages.freeSlug(id, p.suggested[id]); slug == p.suggested[id] {
			p.addQuietly(api.ContentChange{Operation: api.UpdatePage, Page: id, Slug: api.Some(slug)})
		} else {
			page.Slug = was
		}
	}
}

// slugOf returns the slug that a path suggests, as the importer does: that of the file, or of the directory for its own document.
func slugOf(at string) string {
	name := strings.TrimSuffix(path.Base(at), path.Ext(at))
	if dialects.IsIndex(at) {
		if name = path.Base(path.Dir(at)); name == "." {
			name = "home"
		}
	}
	if slug := content.Slug(name); slug != "" {
		return slug
	}
	return "page"
}
