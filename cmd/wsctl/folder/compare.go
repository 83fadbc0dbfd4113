package folder

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// Kind says how a file of the folder differs from its entry.
type Kind string

// Kinds of differences.
const (
	Same     Kind = "same"
	Added    Kind = "added"
	Modified Kind = "modified"
	Moved    Kind = "moved" // and possibly modified
	Deleted  Kind = "deleted"
)

// Difference is a file of the folder with its entry.
type Difference struct {
	Kind  Kind
	Entry Entry // zero for Added
	File  File  // zero for Deleted
}

// Path returns the path in the folder, or the one that a deleted file had.
func (d Difference) Path() string { return cmp.Or(d.File.Path, d.Entry.Path) }

// similarBlocks is the share of blocks, in percent, from which on a new file is taken for a moved one.
const similarBlocks = 60

// Compare matches the files of a folder with the entries of its state: files at a known local path first, then unchanged ones, then
// moved ones by their bytes, then edited ones by path, then moved and edited pages by their blocks. A file at the path of another
// entry is a moved one only if it is a page, so that pages can swap their names. A file that could be two entries is new, and so are
// two that could be one; they are named in ambiguous.
func (f *Folder) Compare(s Scan) (differences []Difference, ambiguous []string, err error) {
	m := matcher{folder: f, free: map[string]File{}}
	maps.Copy(m.free, s.Files)
	if f.State != nil {
		m.matchSame(m.matchMoved(f.State.Entries))
	}
	m.matchBytes()
	m.matchPaths()
	if err := m.matchBlocks(); err != nil {
		return nil, nil, err
	}
	for _, e := range m.gone {
		m.differences = append(m.differences, Difference{Kind: Deleted, Entry: e})
	}
	for _, file := range m.free {
		m.differences = append(m.differences, Difference{Kind: Added, File: file})
	}
	slices.SortFunc(m.differences, func(a, b Difference) int {
		return cmp.Or(strings.Compare(a.Path(), b.Path()), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	slices.Sort(m.ambiguous)
	return m.differences, slices.Compact(m.ambiguous), nil
}

// matcher matches the files of a folder with the entries of its state.
type matcher struct {
	folder      *Folder
	free        map[string]File // files without an entry, by path
	gone        []Entry         // entries without a file
	differences []Difference
	ambiguous   []string
}

// matchMoved matches the entries whose files are known to be at another path, and returns the others.
func (m *matcher) matchMoved(entries []Entry) (others []Entry) {
	for _, e := range entries {
		file, ok := m.free[e.LocalPath]
		if e.LocalPath == "" || !ok {
			others = append(others, e)
			continue
		}
		delete(m.free, e.LocalPath)
		m.differences = append(m.differences, Difference{Moved, e, file})
	}
	return others
}

// matchSame matches the entries whose files are unchanged.
func (m *matcher) matchSame(entries []Entry) {
	for _, e := range entries {
		if file, ok := m.free[e.Path]; ok && file.SHA256 == e.SHA256 {
			delete(m.free, e.Path)
			m.differences = append(m.differences, Difference{Same, e, file})
		} else {
			m.gone = append(m.gone, e)
		}
	}
}

// matchPaths matches the remaining entries with the files at their paths, which were edited.
func (m *matcher) matchPaths() {
	var gone []Entry
	for _, e := range m.gone {
		file, ok := m.free[e.Path]
		if !ok {
			gone = append(gone, e)
			continue
		}
		delete(m.free, e.Path)
		m.differences = append(m.differences, Difference{Modified, e, file})
	}
	m.gone = gone
}

// matchBytes matches moved files: those whose bytes are those of one entry only, which does not have its file any more or has that
// of another moved page.
func (m *matcher) matchBytes() {
	hashes, at := map[string]bool{}, map[string]Entry{}
	for _, e := range m.gone {
		hashes[e.SHA256], at[e.Path] = true, e
	}
	entries, files := map[string][]Entry{}, map[string][]File{}
	for _, e := range m.gone {
		file, hasFile := m.free[e.Path]
		if !hasFile || e.Kind == api.ExportPage && hashes[file.SHA256] {
			entries[e.SHA256] = append(entries[e.SHA256], e)
		}
	}
	for _, file := range m.free {
		if e, known := at[file.Path]; len(entries[file.SHA256]) > 0 && (!known || e.Kind == api.ExportPage) {
			files[file.SHA256] = append(files[file.SHA256], file)
		}
	}
	for hash, found := range files {
		if len(found) > 1 || len(entries[hash]) > 1 {
			for _, file := range found {
				m.ambiguous = append(m.ambiguous, file.Path)
			}
			continue
		}
		m.move(entries[hash][0], found[0])
	}
}

func (m *matcher) move(e Entry, file File) {
	delete(m.free, file.Path)
	m.gone = slices.DeleteFunc(m.gone, func(other Entry) bool { return other.Path == e.Path })
	m.differences = append(m.differences, Difference{Moved, e, file})
}

// matchBlocks matches moved and edited pages: those that have most of the blocks of one missing page, and no other file has.
func (m *matcher) matchBlocks() error {
	candidates := map[string][]Entry{} // by path of the file
	claims := map[string]int{}         // by path of the entry
	texts := map[string][]string{}
	for at, file := range m.free {
		if !isText(at) || len(m.gone) == 0 {
			continue
		}
		data, err := m.folder.Read(file.Path)
		if err != nil {
			return err
		}
		texts[at] = blocksOf(data)
	}
	if len(texts) == 0 {
		return nil
	}
	for _, e := range m.gone {
		data, ok := m.folder.base(e)
		if e.Kind != api.ExportPage || !ok {
			continue
		}
		was := blocksOf(data)
		for at, blocks := range texts {
			if isSimilar(was, blocks) {
				candidates[at] = append(candidates[at], e)
				claims[e.Path]++
			}
		}
	}
	for at, found := range candidates {
		if len(found) > 1 || claims[found[0].Path] > 1 {
			m.ambiguous = append(m.ambiguous, at)
			continue
		}
		m.move(found[0], m.free[at])
	}
	return nil
}

// blocksOf returns the blocks of a text, sorted.
func blocksOf(markdown []byte) (blocks []string) {
	for _, b := range content.Blocks(markdown) {
		if block := bytes.TrimSpace(markdown[b.Start:b.End]); len(block) > 0 {
			blocks = append(blocks, string(block))
		}
	}
	slices.Sort(blocks)
	return blocks
}

// isSimilar reports whether two sorted lists of blocks have enough in common.
func isSimilar(a, b []string) bool {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return common > 0 && common*100 >= similarBlocks*max(len(a), len(b))
}
