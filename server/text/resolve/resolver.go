package resolve

import (
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/cases"

	"docspace.dev/wsd/server/text/content"
)

// Resolver resolves the destinations in the texts of one revision. All users of links share it: link lists,
// references, checks of change requests and PDFs. It is immutable. A destination is resolved by a stable id, by its
// path in the source of the page, by the path of a page, and finally by a name that is unique in the source; each
// first exactly and then without regard to case.
type Resolver struct {
	space   string
	tree    Tree
	files   map[string]bool         // by id
	pages   index                   // pages by path in the space
	sources map[string]*sourceIndex // by source id; "" has the pages and files without a source
	all     *sourceIndex
	anchors func(page string) Anchors // nil if fragments are not resolved
}

// Target is the target of a destination: a page with an optional fragment, or a file.
type Target struct {
	Page, File string
	Fragment   string
	Match      Match
}

// Match is the way a destination was resolved.
type Match int

// Matches, the most reliable first.
const (
	ByPath Match = iota // or by id
	ByPathWithoutCase
	ByName
	ByNameWithoutCase
)

// sourceIndex indexes the paths and base names of one source.
type sourceIndex struct {
	pages, files, pageNames, fileNames index

	parts map[string][]string // parts of split pages by path: the first part, then the others in reading order
}

func newSourceIndex() *sourceIndex {
	return &sourceIndex{newIndex(), newIndex(), newIndex(), newIndex(), map[string][]string{}}
}

// index maps texts to ids. first contains the first id of each text; unique and folded contain "" if there are
// several.
type index struct {
	first, unique map[string]string
	folded        func() map[string]string // computed on demand, since it is rarely needed
}

func newIndex() index {
	first, unique := map[string]string{}, map[string]string{}
	return index{first, unique, sync.OnceValue(func() map[string]string {
		folded := make(map[string]string, len(unique))
		for text, id := range unique {
			setUnique(folded, fold(text), id)
		}
		return folded
	})}
}

func (x index) add(text, id string) {
	if _, known := x.first[text]; !known {
		x.first[text] = id
	}
	setUnique(x.unique, text, id)
}

// setUnique sets the id of a text, or "" if the text already has another one.
func setUnique(ids map[string]string, text, id string) {
	if other, known := ids[text]; known && other != id {
		id = ""
	}
	ids[text] = id
}

// fold folds the case of a text.
func fold(text string) string { return cases.Fold().String(text) }

// New returns the resolver of a revision of a space. If several files have the same path, the first one has precedence.
func New(space string, t Tree, files []File) *Resolver {
	r := &Resolver{
		space: space, tree: t, files: make(map[string]bool, len(files)), pages: newIndex(),
		sources: map[string]*sourceIndex{"": newSourceIndex()}, all: newSourceIndex(),
	}
	r.addPages("", "")
	r.addParts()
	for _, f := range files {
		r.files[f.ID] = true
		name, at := f.Name, r.sourceOf(f.Origin)
		if f.Origin != nil {
			name = path.Base(f.Origin.Path)
			at.files.add(f.Origin.Path, f.ID)
		}
		at.fileNames.add(name, f.ID)
		r.all.fileNames.add(name, f.ID)
	}
	return r
}

// sourceOf returns the index of the source of an origin, creating it if needed.
func (r *Resolver) sourceOf(o *Origin) *sourceIndex {
	source := ""
	if o != nil {
		source = o.Source
	}
	if r.sources[source] == nil {
		r.sources[source] = newSourceIndex()
	}
	return r.sources[source]
}

// addPages indexes the pages below parent, in reading order.
func (r *Resolver) addPages(parent, at string) {
	for _, id := range r.tree.Children(parent) {
		p, _ := r.tree.Find(id)
		if p.IsLink {
			continue
		}
		below := strings.TrimPrefix(at+"/"+p.Slug, "/")
		r.pages.add(below, id)
		name, of := p.Slug, r.sourceOf(p.Origin)
		if p.Origin != nil {
			name = path.Base(p.Origin.Path)
			if p.Origin.Part == "" {
				of.pages.add(p.Origin.Path, id)
			} else {
				of.parts[p.Origin.Path] = append(of.parts[p.Origin.Path], id)
			}
		}
		if !content.IsDirectoryPage(name) && (p.Origin == nil || p.Origin.Part == "") {
			of.pageNames.add(name, id)
			r.all.pageNames.add(name, id)
		}
		r.addPages(id, below)
	}
}

// indexedBytes is the approximate memory cost of a text in the index.
const indexedBytes = 300

// Bytes returns the approximate memory cost of the resolver.
func (r *Resolver) Bytes() int {
	return indexedBytes * (len(r.pages.first) + 2*len(r.all.pageNames.first) + 2*len(r.all.fileNames.first) + len(r.files))
}

// Resolve resolves a destination within the site, as used in the text of the page from. If isImage is set, files take
// precedence over pages. ok is false if there is no target.
func (r *Resolver) Resolve(from Page, destination string, isImage bool) (found Target, ok bool) {
	to, fragment := content.SplitDestination(destination)
	if to == "" {
		return Target{Page: r.findPart(from.ID, fragment), Fragment: fragment}, true
	}
	if found, ok = r.resolveID(to); !ok {
		found, ok = r.resolveText(from, to, isImage)
	}
	if found.Page != "" {
		found.Page, found.Fragment = r.FindPart(found.Page, fragment), fragment
	}
	return found, ok
}

// resolveID resolves destinations with a stable id.
func (r *Resolver) resolveID(to string) (Target, bool) {
	if page, ok := strings.CutPrefix(to, "/spaces/"+r.space+"/pages/"); ok {
		to = "/pages/" + page
	}
	if id, ok := strings.CutPrefix(to, "/pages/"); ok {
		if _, known := r.tree.Find(id); known {
			return Target{Page: id}, true
		}
	}
	if id, ok := strings.CutPrefix(to, "/files/"); ok && r.files[id] {
		return Target{File: id}, true
	}
	return Target{}, false
}

// resolveText resolves paths and names, first exactly and then without regard to case. A destination with the form of an
// external reference may be a path but not a name.
func (r *Resolver) resolveText(from Page, to string, isImage bool) (Target, bool) {
	elsewhere := !isImage && externalPattern.MatchString(to)
	for _, folded := range []bool{false, true} {
		s := lookup{Resolver: r, isImage: isImage, folded: folded}
		if from.Origin != nil {
			at, inside := content.JoinPath(path.Dir("/"+from.Origin.Path), to)
			if !inside {
				return Target{}, false // above the root of the source
			}
			if found, ok := s.findBySourcePath(r.sourceOf(from.Origin), at); ok {
				return found, true
			}
		}
		for _, at := range r.candidatePaths(from, to) {
			if found, ok := s.findByPagePath(at); ok {
				return found, true
			}
		}
		if elsewhere {
			return Target{}, false
		}
		if found, ok := s.findByName(r.sourceOf(from.Origin), path.Base(to)); ok {
			return found, true
		}
		if found, ok := s.findByName(r.all, path.Base(to)); ok && from.Origin == nil {
			return found, true
		}
	}
	return Target{}, false
}

// candidatePaths returns the page paths that a destination may refer to: relative to the parent of the page, to the
// page, and to the root.
func (r *Resolver) candidatePaths(from Page, to string) (paths []string) {
	own := "/" + r.tree.Path(from.ID)
	bases := []string{path.Dir(own), own, "/"}
	if strings.HasPrefix(to, "/") {
		bases = bases[2:]
	}
	for _, base := range bases {
		if at, inside := content.JoinPath(base, to); inside && !slices.Contains(paths, at) {
			paths = append(paths, at)
		}
	}
	return paths
}

// lookup is one pass of a resolution: for a link or an image, with or without regard to case.
type lookup struct {
	*Resolver

	isImage, folded bool
}

// get returns the id of a text in an index.
func (l lookup) get(x index, text string) (id string, ok bool) {
	if l.folded {
		id = x.folded()[fold(text)]
	} else {
		id = x.first[text]
	}
	return id, id != ""
}

// pathMatch returns the match for a path found in this pass.
func (l lookup) pathMatch() Match {
	if l.folded {
		return ByPathWithoutCase
	}
	return ByPath
}

// findBySourcePath finds a page or file by its path in a source.
func (l lookup) findBySourcePath(of *sourceIndex, at string) (Target, bool) {
	if at == "" {
		at = "/"
	}
	for _, candidate := range content.SourcePaths(at) {
		if id, ok := l.get(of.pages, candidate); ok && !l.isImage {
			return Target{Page: id, Match: l.pathMatch()}, true
		}
		if id, ok := l.get(of.files, candidate); ok {
			return Target{File: id, Match: l.pathMatch()}, true
		}
	}
	return Target{}, false
}

// findByPagePath finds the page at a path, which may have the form of a file path.
func (l lookup) findByPagePath(at string) (Target, bool) {
	if l.isImage {
		return Target{}, false
	}
	at = strings.TrimSuffix(at, "/")
	if id, ok := l.get(l.pages, at); ok {
		return Target{Page: id, Match: l.pathMatch()}, true
	}
	if stem, _ := content.CutPageSuffix(at); content.IsDirectoryPage(path.Base(stem)) {
		at = strings.Trim(path.Dir("/"+stem), "/")
	} else {
		at = stem
	}
	if first := l.tree.Children(""); at == "" && len(first) > 0 {
		return Target{Page: first[0], Match: l.pathMatch()}, true
	}
	id, ok := l.get(l.pages, at)
	return Target{Page: id, Match: l.pathMatch()}, ok
}

// findByName finds a page or file with a unique base name.
func (l lookup) findByName(of *sourceIndex, name string) (Target, bool) {
	match := ByName
	only := func(x index, text string) string { return x.unique[text] }
	if l.folded {
		match, only = ByNameWithoutCase, func(x index, text string) string { return x.folded()[fold(text)] }
	}
	for _, candidate := range append([]string{name}, content.PageFileNames(name)...) {
		if id := only(of.pageNames, candidate); id != "" && !l.isImage {
			return Target{Page: id, Match: match}, true
		}
	}
	if stem, cut := content.CutPageSuffix(name); cut && !l.isImage {
		if id := only(of.pageNames, stem); id != "" {
			return Target{Page: id, Match: match}, true
		}
	}
	id := only(of.fileNames, name)
	return Target{File: id, Match: match}, id != ""
}
