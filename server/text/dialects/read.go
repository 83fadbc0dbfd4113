package dialects

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// SummaryName is the name of the file that orders the pages of a folder.
const SummaryName = "SUMMARY.md"

// Folder is a folder of documentation. Its documents are its Markdown files.
type Folder struct {
	Documents   []string // paths
	SummaryPath string   // of the SUMMARY.md, "" without one; see FindSummary
	Summary     []byte
	// Root is the directory, with a trailing slash, to which destinations in SUMMARY.md that begin with a slash are
	// relative. It is usually "".
	Root string
}

// Kind is the kind of an entry.
type Kind int

// Kinds of entries.
const (
	Document Kind = iota
	Group         // heading without a text
	Link          // link to another site
)

// Entry is a page of the tree that a folder describes.
type Entry struct {
	Kind Kind
	// Path is the path of a document, or the directory of a group that stands for one.
	Path string
	// Title is the title in SUMMARY.md, "" for the one of the text, or the name of the directory.
	Title    string
	Link     string // destination of a Link
	IsListed bool   // whether a document is in SUMMARY.md
	Children []*Entry
}

// Note reports an entry of SUMMARY.md that was left out, or the documents that SUMMARY.md does not list.
type Note struct {
	Kind        NoteKind
	Line        int      // of the entry in SUMMARY.md; 0 for Unlisted
	Destination string   // of the entry as written; "" for Unlisted
	Path        string   // that the destination names; "" for Unlisted
	Documents   []string // paths; only of Unlisted
}

// NoteKind is the kind of a note.
type NoteKind int

// Kinds of notes.
const (
	Missing  NoteKind = iota // there is no document at the path of the entry
	Repeated                 // an earlier entry has the same document
	Unlisted                 // documents without an entry, which were added by their path
)

// String returns the note as a sentence without a full stop.
func (n Note) String() string {
	switch n.Kind {
	case Missing:
		return fmt.Sprintf("%s: %s is not there", SummaryName, n.Destination)
	case Repeated:
		return fmt.Sprintf("%s: %s is listed more than once", SummaryName, n.Destination)
	default:
		return fmt.Sprintf("%d pages are not in %s and were added by their path", len(n.Documents), SummaryName)
	}
}

// Read returns the page tree of the folder and notes about entries of SUMMARY.md that were left out. Every document is
// in the tree once.
func (f Folder) Read() (entries []*Entry, notes []Note) {
	r := reader{Folder: f, documents: make(map[string]*Entry, len(f.Documents)), placed: map[string]bool{}}
	for _, name := range f.Documents {
		r.documents[name] = &Entry{Path: name}
	}
	listed := f.SummaryPath != ""
	if listed {
		r.entries = r.summaryEntries(parseSummary(f.Summary))
	}
	r.placeUnlisted(listed)
	return r.entries, r.notes
}

// reader is a tree under construction.
type reader struct {
	Folder

	documents map[string]*Entry // by path
	placed    map[string]bool
	entries   []*Entry
	notes     []Note
}

// summaryEntries returns the entries of SUMMARY.md, in its order.
func (r *reader) summaryEntries(items []summaryItem) []*Entry {
	var entries []*Entry
	for _, item := range items {
		entry := r.summaryEntry(item)
		children := r.summaryEntries(item.children)
		if entry == nil { // no page to attach the children to
			entries = append(entries, children...)
			continue
		}
		entry.Children = append(entry.Children, children...)
		entries = append(entries, entry)
	}
	return entries
}

// summaryEntry returns the entry of an item: a group for a heading, a link for an external destination, else the
// document, or nil if this is missing or already placed.
func (r *reader) summaryEntry(item summaryItem) *Entry {
	if item.dest == "" {
		return &Entry{Kind: Group, Title: item.title}
	}
	if isExternal(item.dest) {
		return &Entry{Kind: Link, Title: item.title, Link: item.dest}
	}
	name := r.summaryTarget(item.dest)
	entry := r.documents[name]
	if entry == nil || r.placed[name] {
		note := Note{Kind: Missing, Line: item.line, Destination: item.dest, Path: name}
		if entry != nil {
			note.Kind = Repeated
		}
		r.notes = append(r.notes, note)
		return nil
	}
	r.placed[name], entry.Title, entry.IsListed = true, item.title, true
	return entry
}

// placeUnlisted adds the documents that SUMMARY.md does not list below the nearest directory's document, or at the end.
func (r *reader) placeUnlisted(listed bool) {
	rest := slices.DeleteFunc(slices.Clone(r.Documents), func(name string) bool { return r.placed[name] })
	if listed && len(rest) > 0 {
		r.notes = append(r.notes, Note{Kind: Unlisted, Documents: slices.Sorted(slices.Values(rest))})
	}
	// A directory's own document precedes the directory's other documents.
	slices.SortFunc(rest, func(x, y string) int { return cmp.Or(comparePaths(x, y), strings.Compare(x, y)) })
	groups := map[string]*Entry{}
	for _, name := range rest {
		r.placed[name] = true
		if parent := r.parentOf(name, listed, groups); parent != nil {
			parent.Children = append(parent.Children, r.documents[name])
		} else {
			r.entries = append(r.entries, r.documents[name])
		}
	}
}

// parentOf returns the document of the nearest ancestor directory of name, or nil for the top level. Without SUMMARY.md,
// a directory without a document of its own becomes a group.
func (r *reader) parentOf(name string, listed bool, groups map[string]*Entry) *Entry {
	dir := path.Dir(name)
	if IsIndex(name) {
		dir = path.Dir(dir)
	}
	for ; dir != "."; dir = path.Dir(dir) {
		if index := r.indexPath(dir); index != "" && index != name {
			return r.documents[index]
		}
		if listed {
			continue
		}
		if groups[dir] == nil {
			group := &Entry{Kind: Group, Path: dir}
			groups[dir] = group
			if above := r.parentOf(dir, listed, groups); above != nil {
				above.Children = append(above.Children, group)
			} else {
				r.entries = append(r.entries, group)
			}
		}
		return groups[dir]
	}
	return nil
}

// indexPath returns the path of a directory's own document, or "" if there is none.
func (r *reader) indexPath(dir string) string {
	for _, base := range []string{"README.md", "readme.md", "Readme.md", "index.md", "README.markdown", "index.markdown"} {
		if name := path.Join(dir, base); r.documents[name] != nil {
			return name
		}
	}
	return ""
}

// comparePaths orders paths by name, with a directory's own document first.
func comparePaths(x, y string) int { return strings.Compare(sortKey(x), sortKey(y)) }

func sortKey(name string) string {
	if IsIndex(name) {
		return strings.TrimSuffix(name, path.Base(name)) + "\x00"
	}
	return name
}

// IsMarkdown reports whether a path is that of a document.
func IsMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// IsIndex reports whether a path is that of a directory's own document.
func IsIndex(name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return IsMarkdown(name) && (stem == "readme" || stem == "index")
}

// FileName returns the name that the path of a document gives its page: that of the file, or of the directory for the
// directory's own document, "" for the folder's own document.
func FileName(name string) string {
	if !IsIndex(name) {
		return strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	if dir := path.Dir(name); dir != "." {
		return path.Base(dir)
	}
	return ""
}

// FileTitle returns the title of a page whose text says none.
func FileTitle(name string) string { return cmp.Or(FileName(name), "Home") }
