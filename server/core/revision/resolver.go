package revision

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/client/api"
)

// Resolver finds out what destinations in the texts of one revision lead to. It is the only one: links, references,
// checks of change requests and PDFs ask it. It is made of a tree and files, and never changes.
//
// A destination is looked for by a stable id, by its path in the source of the page, by the path of a page, and at
// last by a name that only one thing of the same source has; first as it is written, then without regard to case.
type Resolver struct {
	space   string
	tree    *Tree
	files   map[string]File
	pages   index             // of pages by their path here
	sources map[string]*named // by source id; "" has what is of no source
	all     *named
	texts   func(page string) PageLinks // nil where nobody asks for fragments
}

// Found is what a destination leads to: a page, perhaps at a fragment, or a file.
type Found struct {
	Page, File string
	Fragment   string
	Match      Match
}

// Match says how something was found.
type Match int

// The ways, from the surest.
const (
	ByPath Match = iota // or by id
	ByPathWithoutCase
	ByName
	ByNameWithoutCase
)

// named are the paths and base names of what belongs together.
type named struct {
	pages, files, pageNames, fileNames index

	parts map[string][]string // of the pages that were split, by path: the first, then the others in reading order
}

func newNamed() *named {
	return &named{newIndex(), newIndex(), newIndex(), newIndex(), map[string][]string{}}
}

// index finds ids by text. Of several with the same text it has the first, but only one that is the only one by
// unique and without regard to case.
type index struct {
	first, unique map[string]string
	folded        func() map[string]string // made when it is asked for, as few texts need it
}

func newIndex() index {
	first, unique := map[string]string{}, map[string]string{}
	return index{first, unique, sync.OnceValue(func() map[string]string {
		folded := make(map[string]string, len(unique))
		for text, id := range unique {
			only(folded, fold(text), id)
		}
		return folded
	})}
}

func (x index) add(text, id string) {
	if _, known := x.first[text]; !known {
		x.first[text] = id
	}
	only(x.unique, text, id)
}

// only keeps the id of a text while there is no other.
func only(ids map[string]string, text, id string) {
	if other, known := ids[text]; known && other != id {
		id = ""
	}
	ids[text] = id
}

// fold is a text without its case.
func fold(text string) string { return cases.Fold().String(text) }

// NewResolver returns the resolver of a revision of a space.
func NewResolver(space string, t *Tree, files map[string]File) *Resolver {
	r := &Resolver{space: space, tree: t, files: files, pages: newIndex(), sources: map[string]*named{"": newNamed()}, all: newNamed()}
	r.addPages("", "")
	r.addParts()
	ids := make([]string, 0, len(files))
	for id := range files {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		f := files[id]
		name, at := f.Name, r.of(f.Origin)
		if f.Origin != nil {
			name = path.Base(f.Origin.Path)
			at.files.add(f.Origin.Path, id)
		}
		at.fileNames.add(name, id)
		r.all.fileNames.add(name, id)
	}
	return r
}

// of has what belongs to the source of an origin.
func (r *Resolver) of(o *Origin) *named {
	source := ""
	if o != nil {
		source = o.Source
	}
	if r.sources[source] == nil {
		r.sources[source] = newNamed()
	}
	return r.sources[source]
}

// addPages notes the pages below one, in reading order.
func (r *Resolver) addPages(parent, at string) {
	for _, id := range r.tree.Children(parent) {
		p := r.tree.Page(id)
		if p.Type == api.PageLink {
			continue
		}
		below := strings.TrimPrefix(at+"/"+p.Slug, "/")
		r.pages.add(below, id)
		name, of := p.Slug, r.of(p.Origin)
		if p.Origin != nil {
			name = path.Base(p.Origin.Path)
			if p.Origin.Part == "" {
				of.pages.add(p.Origin.Path, id)
			} else {
				of.parts[p.Origin.Path] = append(of.parts[p.Origin.Path], id)
			}
		}
		if !isDirectoryPage(name) && (p.Origin == nil || p.Origin.Part == "") {
			of.pageNames.add(name, id)
			r.all.pageNames.add(name, id)
		}
		r.addPages(id, below)
	}
}

// What an index costs in memory for a text, roughly: an entry in each of its maps.
const indexedBytes = 300

// Bytes is what the resolver costs in memory.
func (r *Resolver) Bytes() int {
	return indexedBytes * (len(r.pages.first) + 2*len(r.all.pageNames.first) + 2*len(r.all.fileNames.first) + len(r.files))
}

// Resolve follows a destination that names no other site from a page. isImage is for what is shown in the text, where
// a file goes before a page. ok is false where it leads nowhere.
func (r *Resolver) Resolve(from *Page, destination string, isImage bool) (found Found, ok bool) {
	to, fragment := SplitDestination(destination)
	if to == "" {
		return Found{Page: r.ofDocument(from.ID, fragment), Fragment: fragment}, true
	}
	if found, ok = r.byID(to); !ok {
		found, ok = r.byText(from, to, isImage)
	}
	if found.Page != "" {
		found.Page, found.Fragment = r.Part(found.Page, fragment), fragment
	}
	return found, ok
}

// schemes begin what is no path of a space.
var schemes = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//|www\.)`)

// LeadsAway reports whether a destination names another site, so that there is nothing to resolve.
func LeadsAway(destination string) bool { return schemes.MatchString(destination) }

// SplitDestination takes the fragment off a destination, and the query, which means nothing here. Both parts are
// percent-decoded and in the normal form C; the fragment that names the top of a page is none.
func SplitDestination(destination string) (to, fragment string) {
	to, fragment, _ = strings.Cut(destination, "#")
	to, _, _ = strings.Cut(to, "?")
	if fragment = decoded(fragment); fragment == "top" {
		fragment = ""
	}
	return decoded(to), fragment
}

func decoded(s string) string {
	if text, err := url.PathUnescape(s); err == nil {
		s = text
	}
	return norm.NFC.String(s)
}

// byID finds what a stable id names.
func (r *Resolver) byID(to string) (Found, bool) {
	if page, ok := strings.CutPrefix(to, "/spaces/"+r.space+"/pages/"); ok {
		to = "/pages/" + page
	}
	if id, ok := strings.CutPrefix(to, "/pages/"); ok && r.tree.Page(id) != nil {
		return Found{Page: id}, true
	}
	if id, ok := strings.CutPrefix(to, "/files/"); ok {
		if _, known := r.files[id]; known {
			return Found{File: id}, true
		}
	}
	return Found{}, false
}

// byText tries paths and names, as they are written and then without regard to case. What names something elsewhere by its
// id may be a path here, but no name.
func (r *Resolver) byText(from *Page, to string, isImage bool) (Found, bool) {
	elsewhere := !isImage && beyond.MatchString(to)
	for _, folded := range []bool{false, true} {
		s := search{Resolver: r, isImage: isImage, folded: folded}
		if from.Origin != nil {
			at, inside := joined(path.Dir("/"+from.Origin.Path), to)
			if !inside {
				return Found{}, false // above the root of the source
			}
			if found, ok := s.inSource(r.of(from.Origin), at); ok {
				return found, true
			}
		}
		for _, at := range r.pageBases(from, to) {
			if found, ok := s.atPage(at); ok {
				return found, true
			}
		}
		if elsewhere {
			return Found{}, false
		}
		if found, ok := s.byName(r.of(from.Origin), path.Base(to)); ok {
			return found, true
		}
		if found, ok := s.byName(r.all, path.Base(to)); ok && from.Origin == nil {
			return found, true
		}
	}
	return Found{}, false
}

// joined follows a path from a directory, both from the root. inside is false for one that leads above the root. A
// slash at its end stays.
func joined(dir, to string) (at string, inside bool) {
	whole := to
	if !strings.HasPrefix(to, "/") {
		whole = dir + "/" + to
	}
	depth := 0
	for step := range strings.SplitSeq(whole, "/") {
		switch step {
		case "", ".":
		case "..":
			depth--
		default:
			depth++
		}
		if depth < 0 {
			return "", false
		}
	}
	at = strings.TrimPrefix(path.Clean(whole), "/")
	if strings.HasSuffix(to, "/") && at != "" {
		at += "/"
	}
	return at, true
}

// pageBases are the paths that a destination may mean among the pages: beside the page, below it, from the root.
func (r *Resolver) pageBases(from *Page, to string) (paths []string) {
	own := "/" + r.tree.Path(from.ID)
	bases := []string{path.Dir(own), own, "/"}
	if strings.HasPrefix(to, "/") {
		bases = bases[2:]
	}
	for _, base := range bases {
		if at, inside := joined(base, to); inside && !slices.Contains(paths, at) {
			paths = append(paths, at)
		}
	}
	return paths
}

// search is one way to look: for a link or an image, with or without case.
type search struct {
	*Resolver

	isImage, folded bool
}

// in looks a text up in an index.
func (s search) in(x index, text string) (id string, ok bool) {
	if s.folded {
		id = x.folded()[fold(text)]
	} else {
		id = x.first[text]
	}
	return id, id != ""
}

// pathMatch says how a path was found by this search.
func (s search) pathMatch() Match {
	if s.folded {
		return ByPathWithoutCase
	}
	return ByPath
}

// inSource finds a path of a source.
func (s search) inSource(of *named, at string) (Found, bool) {
	if at == "" {
		at = "/"
	}
	for _, form := range formsOf(at) {
		if id, ok := s.in(of.pages, form); ok && !s.isImage {
			return Found{Page: id, Match: s.pathMatch()}, true
		}
		if id, ok := s.in(of.files, form); ok {
			return Found{File: id, Match: s.pathMatch()}, true
		}
	}
	return Found{}, false
}

// atPage finds the page at a path, which may be that of a file that a page is made of elsewhere.
func (s search) atPage(at string) (Found, bool) {
	if s.isImage {
		return Found{}, false
	}
	at = strings.TrimSuffix(at, "/")
	if id, ok := s.in(s.pages, at); ok {
		return Found{Page: id, Match: s.pathMatch()}, true
	}
	if stem, _ := cutPageSuffix(at); isDirectoryPage(path.Base(stem)) {
		at = strings.Trim(path.Dir("/"+stem), "/")
	} else {
		at = stem
	}
	if first := s.tree.Children(""); at == "" && len(first) > 0 {
		return Found{Page: first[0], Match: s.pathMatch()}, true
	}
	id, ok := s.in(s.pages, at)
	return Found{Page: id, Match: s.pathMatch()}, ok
}

// byName finds what is alone in having a base name.
func (s search) byName(of *named, name string) (Found, bool) {
	match := ByName
	only := func(x index, text string) string { return x.unique[text] }
	if s.folded {
		match, only = ByNameWithoutCase, func(x index, text string) string { return x.folded()[fold(text)] }
	}
	for _, form := range append([]string{name}, pageFormsOf(name)...) {
		if id := only(of.pageNames, form); id != "" && !s.isImage {
			return Found{Page: id, Match: match}, true
		}
	}
	if stem, cut := cutPageSuffix(name); cut && !s.isImage {
		if id := only(of.pageNames, stem); id != "" {
			return Found{Page: id, Match: match}, true
		}
	}
	id := only(of.fileNames, name)
	return Found{File: id, Match: match}, id != ""
}

// pageSuffixes end the names of the files that pages are made of elsewhere.
var pageSuffixes = []string{".md", ".mdx", ".markdown", ".html", ".htm"}

// directoryPages are the stems of the files that stand for their directories, in the order in which they are looked
// for.
var directoryPages = []string{"README", "index"}

// formsOf are the paths that a path of a source may mean: itself, the page of the directory, the page of that name.
func formsOf(at string) (forms []string) {
	dir := strings.TrimSuffix(at, "/")
	if dir == at {
		forms = append(forms, at)
	}
	for _, stem := range directoryPages {
		for _, suffix := range pageSuffixes {
			forms = append(forms, strings.TrimPrefix(dir+"/"+stem+suffix, "/"))
		}
	}
	return append(forms, pageFormsOf(dir)...)
}

// pageFormsOf are the names that the file of a page may have where its suffix is left out, or is that of the site that
// was made of it.
func pageFormsOf(name string) (forms []string) {
	for _, suffix := range pageSuffixes {
		forms = append(forms, name+suffix)
	}
	stem, cut := strings.CutSuffix(name, ".html")
	if !cut {
		stem, cut = strings.CutSuffix(name, ".htm")
	}
	for _, suffix := range pageSuffixes {
		if cut {
			forms = append(forms, stem+suffix)
		}
	}
	return forms
}

// isDirectoryPage reports whether a name is that of a file that stands for its directory.
func isDirectoryPage(name string) bool {
	stem, _ := cutPageSuffix(name)
	return slices.ContainsFunc(directoryPages, func(page string) bool { return strings.EqualFold(stem, page) })
}

// LooksLikePage reports whether a destination names a page rather than a file, by its suffix.
func LooksLikePage(destination string) bool {
	to, _ := SplitDestination(destination)
	_, isPage := cutPageSuffix(to)
	return isPage || path.Ext(to) == ""
}

func cutPageSuffix(name string) (stem string, cut bool) {
	for _, suffix := range pageSuffixes {
		if stem, cut = strings.CutSuffix(name, suffix); cut {
			return stem, true
		}
	}
	return name, false
}
