package imports

import (
	"maps"
	"slices"

	"golang.org/x/text/unicode/norm"

	"docspace.dev/wsd/server/core/revision"
)

// brought is what a source brought until now, as it came: the base of the merge.
type brought struct {
	known     revision.SourceMap
	id        string                    // of the source
	pages     map[string]*revision.Page // by id, as they came
	files     map[string]revision.File
	pagePaths map[string][]string // ids by path, those that were removed here last; of what was split, of the first part
	parts     map[string][]string // ids of the other parts by path, in their order
	filePaths map[string][]string
	removed   map[string]bool // what people took out here
	others    []revision.File // of no source
	fileIDs   map[string]bool // of all files that are here
	taken     map[string]bool // what was found again
}

// source returns the record of the source, if it has been imported before.
func (b brought) source() (revision.Source, bool) {
	s, ok := b.known.Sources[b.id]
	return s, ok
}

// broughtBefore finds what the source brought in the tree, among the files, and among what was removed here.
func (u *update) broughtBefore(known revision.SourceMap, files []revision.File) brought {
	b := brought{
		known: known, id: u.source.ID, pages: map[string]*revision.Page{}, files: map[string]revision.File{},
		fileIDs: map[string]bool{}, pagePaths: map[string][]string{}, parts: map[string][]string{}, filePaths: map[string][]string{}, removed: map[string]bool{}, taken: map[string]bool{},
	}
	for _, id := range u.draft.Start.Reading("") {
		b.addPage(u.draft.Start.Page(id))
	}
	for _, f := range files {
		b.fileIDs[f.ID] = true
		if !b.addFile(f) && f.Origin == nil {
			b.others = append(b.others, f)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known.Removed)) {
		switch r := known.Removed[id]; {
		case r.Page != nil && u.draft.Start.Page(id) == nil:
			b.removed[id] = b.addPage(r.Page)
		case r.File != nil:
			if _, there := b.files[id]; !there {
				b.removed[id] = b.addFile(*r.File)
			}
		}
	}
	return b
}

func (b brought) addPage(p *revision.Page) bool {
	if p.Origin == nil || p.Origin.Source != b.id {
		return false
	}
	b.pages[p.ID] = p.AsCame()
	paths := b.pagePaths
	if p.Origin.Part != "" {
		paths = b.parts
	}
	paths[p.Origin.Path] = append(paths[p.Origin.Path], p.ID)
	return true
}

func (b brought) addFile(f revision.File) bool {
	if f.Origin == nil || f.Origin.Source != b.id {
		return false
	}
	b.files[f.ID] = f
	b.filePaths[f.Origin.Path] = append(b.filePaths[f.Origin.Path], f.ID)
	return true
}

// take returns the first of some ids that nothing was found to be yet.
func (b brought) take(ids []string) (string, bool) {
	for _, id := range ids {
		if !b.taken[id] {
			b.taken[id] = true
			return id, true
		}
	}
	return "", false
}

// sourcePath is a path in a source as it is kept.
func sourcePath(at string) string { return norm.NFC.String(at) }
