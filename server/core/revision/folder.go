package revision

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/server/text/resolve"
)

// Folder is the layout of a revision as a folder of Markdown: the path of every page with a text, file and reusable
// content. Equal revisions have equal layouts.
type Folder struct {
	Pages []*dialects.Page
	// Documents are the pages of each document, in the order of the tree: one, or the parts of a split document.
	Documents [][]*Page
	Paths     map[string]string // by id of the page, file or reusable content
}

// Directories of the files of a folder that have no path of their own, as GitBook has them.
const (
	assetsDirectory   = ".gitbook/assets"
	includesDirectory = ".gitbook/includes"
)

// NewFolder returns the layout of a revision.
func NewFolder(t *Tree, files []File, reusables map[string]*Page) Folder {
	l := folderLayout{tree: t, folder: Folder{Paths: map[string]string{}}, leaders: map[[2]string]int{}}
	l.findLeaders()
	l.folder.Pages = l.pages("")
	var taken []string
	for _, f := range files {
		if f.Origin != nil && dialects.InvalidPathReason(f.Origin.Path) == "" {
			taken = append(taken, f.Origin.Path)
		}
	}
	dialects.Layout(l.folder.Pages, taken)
	used := map[string]bool{dialects.FoldPath(dialects.SummaryName): true}
	l.takePaths(l.folder.Pages, used)
	for _, document := range l.folder.Documents {
		for _, part := range document[1:] {
			l.folder.Paths[part.ID] = l.folder.Paths[document[0].ID]
		}
	}
	for _, f := range files {
		l.folder.Paths[f.ID] = dialects.FreePath(filePath(f), used)
	}
	for _, id := range slices.Sorted(maps.Keys(reusables)) {
		name := path.Join(includesDirectory, cmp.Or(content.Slug(reusables[id].Name()), id)+".md")
		l.folder.Paths[id] = dialects.FreePath(name, used)
	}
	return l.folder
}

// filePath returns the path of a file in its source, or one made of its name if it has none that is valid.
func filePath(f File) string {
	if f.Origin != nil && dialects.InvalidPathReason(f.Origin.Path) == "" {
		return f.Origin.Path
	}
	return path.Join(assetsDirectory, path.Base("/"+f.Name))
}

// folderLayout is a layout under construction.
type folderLayout struct {
	tree    *Tree
	folder  Folder
	leaders map[[2]string]int // index in Documents by source and path
}

// findLeaders finds the documents. The first part of a split document comes first; if it was deleted, the next one takes its
// role. A whole document at the path of another one, made in another change request, is a document of its own.
func (l *folderLayout) findLeaders() {
	for _, id := range l.tree.ReadingOrder("") {
		p := l.tree.Page(id)
		if !hasDocument(p) {
			continue
		}
		key, ok := documentKey(p)
		at, known := l.leaders[key]
		switch {
		case ok && known && p.Origin.Part == "" && l.folder.Documents[at][0].Origin.Part == "":
			l.folder.Documents = append(l.folder.Documents, []*Page{p})
		case ok && known && p.Origin.Part == "":
			l.folder.Documents[at] = slices.Insert(l.folder.Documents[at], 0, p)
		case ok && known:
			l.folder.Documents[at] = append(l.folder.Documents[at], p)
		default:
			if ok {
				l.leaders[key] = len(l.folder.Documents)
			}
			l.folder.Documents = append(l.folder.Documents, []*Page{p})
		}
	}
}

// hasDocument reports whether a page has a text.
func hasDocument(p *Page) bool { return p.Type == api.PageDocument }

// documentKey returns the key of the document that a page belongs to, and false for a page without a source.
func documentKey(p *Page) (key [2]string, ok bool) {
	if p.Origin == nil || p.Origin.Path == "" {
		return key, false
	}
	return [2]string{p.Origin.Source, p.Origin.Path}, true
}

// pages returns the children of a page for the layout. Computed pages are left out, because they are made of something else.
func (l *folderLayout) pages(parent string) (pages []*dialects.Page) {
	for _, id := range l.tree.Children(parent) {
		p := l.tree.Page(id)
		d := &dialects.Page{ID: id, Title: p.Name(), TextTitle: p.DerivedTitle, Slug: p.Slug}
		switch p.Type {
		case api.PageComputed:
			continue
		case api.PageGroup:
			d.Kind = dialects.Group
		case api.PageLink:
			if d.Link = linkAddress(p); d.Link == "" {
				continue
			}
			d.Kind = dialects.Link
		case api.PageDocument:
			key, ok := documentKey(p)
			if d.IsOwn = !ok; ok {
				d.Path, d.IsPart = key[1], slices.Contains(l.folder.Documents[l.leaders[key]][1:], p)
			}
		}
		d.Children = l.pages(id)
		pages = append(pages, d)
	}
	return pages
}

// linkAddress returns the address that a link page leads to, "" if it leads to something of this server.
func linkAddress(p *Page) string {
	if p.Target == nil || p.Target.Kind != api.RefURL {
		return ""
	}
	return p.Target.URL
}

// takePaths notes the paths that the pages have got.
func (l *folderLayout) takePaths(pages []*dialects.Page, used map[string]bool) {
	for _, p := range pages {
		if p.Kind == dialects.Document && !p.IsPart {
			l.folder.Paths[p.ID] = p.Path
			used[dialects.FoldPath(p.Path)] = true
		}
		l.takePaths(p.Children, used)
	}
}

// Document returns the text of a document as it is in the folder, and where the later parts begin. texts are those of the parts
// by hash.
func (f Folder) Document(parts []*Page, texts map[string][]byte) (text []byte, starts []int) {
	for i, part := range parts {
		if i > 0 {
			starts = append(starts, len(text))
		}
		text = append(text, f.Relink(part.ID, texts[part.Text])...)
	}
	return text, starts
}

// Relink returns the text of a page with the links that name pages and files of the folder by id written as paths relative to
// its document. All other links stay as they are.
func (f Folder) Relink(page string, markdown []byte) []byte {
	return resolve.WriteRelative(markdown, f.Paths[page], f.Paths)
}
