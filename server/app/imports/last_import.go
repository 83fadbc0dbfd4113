package imports

import (
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/server/core/revision"
)

// lastImport is the state of a source after its last import, or in the base that the import names. It is the base of the merge.
type lastImport struct {
	sourceMap revision.SourceMap
	id        string                    // of the source
	pages     map[string]*revision.Page // by id, as imported
	files     map[string]revision.File
	pagePaths map[string][]string // ids by path, removed pages last; for a split document the id of the first part
	parts     map[string][]string // ids of the remaining parts by path, in order
	filePaths map[string][]string
	removed   map[string]bool // ids of pages and files that users removed
	unowned   []revision.File // files without a source
	fileIDs   map[string]bool // ids of all present files
	claimed   map[string]bool // ids that are matched to incoming pages and files

	base *givenBase // nil if the last import is the base
}

// source returns the record of the source, and false if it was not imported before.
func (l lastImport) source() (revision.Source, bool) {
	s, ok := l.sourceMap.Sources[l.id]
	return s, ok
}

// findLastImport collects the pages and files of the source from the tree, the file list, and the removed objects.
func (u *update) findLastImport(known revision.SourceMap, files []revision.File, base *givenBase) lastImport {
	b := lastImport{
		base:      base,
		sourceMap: known, id: u.source.ID, pages: map[string]*revision.Page{}, files: map[string]revision.File{},
		fileIDs: map[string]bool{}, pagePaths: map[string][]string{}, parts: map[string][]string{}, filePaths: map[string][]string{},
		removed: map[string]bool{}, claimed: map[string]bool{},
	}
	for _, id := range u.draft.BaseTree.ReadingOrder("") {
		b.addPage(u.draft.BaseTree.Page(id))
	}
	for _, f := range files {
		b.fileIDs[f.ID] = true
		if !b.addFile(f) && f.Origin == nil {
			b.unowned = append(b.unowned, f)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known.Removed)) {
		switch r := known.Removed[id]; {
		case r.Page != nil && u.draft.BaseTree.Page(id) == nil:
			b.removed[id] = b.addPage(r.Page)
		case r.File != nil:
			if _, there := b.files[id]; !there {
				b.removed[id] = b.addFile(*r.File)
			}
		}
	}
	if base != nil {
		b.addBase()
	}
	return b
}

func (l lastImport) addPage(p *revision.Page) bool {
	if p.Origin == nil || p.Origin.Source != l.id {
		return false
	}
	if l.base != nil {
		p = l.base.page(p)
	}
	l.pages[p.ID] = p.AsImported()
	paths := l.pagePaths
	if p.Origin.Part != "" {
		paths = l.parts
	}
	paths[p.Origin.Path] = append(paths[p.Origin.Path], p.ID)
	return true
}

func (l lastImport) addFile(f revision.File) bool {
	if f.Origin == nil || f.Origin.Source != l.id {
		return false
	}
	if l.base != nil {
		f = l.base.file(f)
	}
	l.files[f.ID] = f
	l.filePaths[f.Origin.Path] = append(l.filePaths[f.Origin.Path], f.ID)
	return true
}

// claim returns the first of the ids that is not matched yet, and marks it as matched. It returns false if all are matched.
func (l lastImport) claim(ids []string) (string, bool) {
	for _, id := range ids {
		if !l.claimed[id] {
			l.claimed[id] = true
			return id, true
		}
	}
	return "", false
}

// normalizePath returns a source path in the form in which it is stored.
func normalizePath(at string) string { return norm.NFC.String(at) }
