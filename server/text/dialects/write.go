package dialects

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Summary is the SUMMARY.md of a folder.
type Summary struct {
	Path   string // "" if the folder has none
	Text   []byte
	Reason string // why the text does not say what the tree says; "" if it does
}

// Summarize returns the SUMMARY.md of a tree that was laid out by Layout. old is the one that the folder has; it stays as it
// is as long as the folder with it says what the tree says. Otherwise its list is written again, in its own style. If a line
// that is neither a heading nor an entry would be lost, it stays as it is and Reason is set. A folder without SUMMARY.md gets
// one only if its directories do not say what the tree says.
func Summarize(pages []*Page, old Summary) Summary {
	documents := documentPaths(pages)
	slices.Sort(documents)
	says := func(s Summary) bool {
		read, _ := Folder{Documents: documents, SummaryPath: s.Path, Summary: s.Text}.Read()
		return equalTree(read, pages, s.Path == "")
	}
	if old.Reason = ""; says(old) {
		return old
	}
	style, ok := readStyle(old.Text)
	next := Summary{Path: cmp.Or(old.Path, SummaryName)}
	next.Text = style.write(pages, path.Dir(next.Path))
	switch {
	case !ok:
		old.Reason = "has lines that are no entries, so it was not changed to what the pages are"
	case !says(next):
		old.Reason = "cannot say what the pages are"
	default:
		return next
	}
	return old
}

// documentPaths returns the paths of the documents of a tree.
func documentPaths(pages []*Page) (paths []string) {
	for _, p := range pages {
		if p.Kind == Document && !p.IsPart {
			paths = append(paths, p.Path)
		}
		paths = append(paths, documentPaths(p.Children)...)
	}
	return paths
}

// equalTree reports whether the entries of a folder are the pages of a tree. byPath is set for a folder without SUMMARY.md,
// whose directories have the names of their slugs.
func equalTree(entries []*Entry, pages []*Page, byPath bool) bool {
	pages = withoutParts(pages)
	if len(entries) != len(pages) {
		return false
	}
	for i, e := range entries {
		if !equalEntry(e, pages[i], byPath) || !equalTree(e.Children, pages[i].Children, byPath) {
			return false
		}
	}
	return true
}

func equalEntry(e *Entry, p *Page, byPath bool) bool {
	switch {
	case e.Kind != p.Kind:
		return false
	case e.Kind == Link:
		return e.Link == p.Link && e.Title == cleanTitle(p.Title)
	case e.Kind == Group && byPath:
		return path.Base(e.Path) == p.Title
	case e.Kind == Group:
		return e.Title == cleanTitle(p.Title)
	case e.Title == "":
		return e.Path == p.Path && p.Title == cmp.Or(p.TextTitle, FileTitle(p.Path)) && (byPath || e.IsListed || !p.IsOwn)
	}
	return e.Path == p.Path && e.Title == cleanTitle(p.Title)
}

// withoutParts returns the pages with the later parts of documents replaced by their children.
func withoutParts(pages []*Page) (whole []*Page) {
	for _, p := range pages {
		if p.IsPart {
			whole = append(whole, withoutParts(p.Children)...)
		} else {
			whole = append(whole, p)
		}
	}
	return whole
}

func cleanTitle(title string) string { return strings.Join(strings.Fields(title), " ") }

// style is the form of a SUMMARY.md.
type style struct {
	preamble []byte // the lines before the first entry
	bullet   string
	indent   string
	newline  string
	headings bool              // groups at the top are headings
	lines    map[string]string // entries as written, without bullet, by destination and title
}

// readStyle returns the form of a SUMMARY.md, the usual one for an empty text. ok is false if the text has lines after its
// first entry that are neither headings nor entries.
func readStyle(text []byte) (s style, ok bool) {
	s = style{preamble: []byte("# Summary\n\n"), bullet: "*", indent: "  ", newline: "\n", lines: map[string]string{}, headings: true}
	if len(text) == 0 {
		return s, true
	}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	ok = true
	started, offset, indented := false, 0, false
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		bullet, entry, isEntry := strings.Cut(trimmed, " ")
		isEntry = isEntry && (bullet == "*" || bullet == "-" || bullet == "+")
		isGroup := strings.HasPrefix(trimmed, "##")
		switch {
		case !started && !isEntry && !isGroup:
			offset += len(line)
		case isEntry:
			if !started {
				s.bullet = bullet
			}
			if margin := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; margin != "" && !indented {
				s.indent, indented = margin, true
			}
			for _, item := range parseSummary([]byte("* " + entry)) {
				dest, err := url.PathUnescape(item.dest)
				if err != nil || isExternal(item.dest) {
					dest = item.dest
				}
				s.lines[dest+"\n"+item.title] = strings.TrimSpace(entry)
			}
			started = true
		case isGroup || trimmed == "":
			started = true
		default:
			ok = false
		}
	}
	s.preamble = text[:offset]
	return s, ok
}

// write returns the SUMMARY.md in directory dir of a tree.
func (s style) write(pages []*Page, dir string) []byte {
	b := bytes.NewBuffer(slices.Clone(s.preamble))
	pages = withoutParts(pages)
	first := len(pages) // index of the first group of those at the end, which can be headings
	for first > 0 && pages[first-1].Kind == Group && len(pages[first-1].Children) > 0 {
		first--
	}
	if !s.headings {
		first = len(pages)
	}
	s.writeList(b, pages[:first], dir, "")
	for i, group := range pages[first:] {
		if i > 0 || first > 0 {
			b.WriteString(s.newline)
		}
		b.WriteString("## " + escapeTitle(group.Title) + s.newline + s.newline)
		s.writeList(b, withoutParts(group.Children), dir, "")
	}
	return b.Bytes()
}

func (s style) writeList(b *bytes.Buffer, pages []*Page, dir, margin string) {
	for _, p := range pages {
		b.WriteString(margin + s.bullet + " " + s.entry(p, dir) + s.newline)
		s.writeList(b, withoutParts(p.Children), dir, margin+s.indent)
	}
}

// entry returns the entry of a page, as it was written before if it is the same.
func (s style) entry(p *Page, dir string) string {
	title, dest := cleanTitle(p.Title), p.Link
	switch p.Kind {
	case Group:
		return escapeTitle(title)
	case Document:
		dest = relativePath(dir, p.Path)
	case Link:
	}
	if line, ok := s.lines[dest+"\n"+title]; ok {
		return line
	}
	if p.Kind == Link {
		return "[" + escapeTitle(title) + "](<" + dest + ">)"
	}
	return "[" + escapeTitle(title) + "](" + escapeDestination(dest) + ")"
}

// relativePath returns the path of a document relative to a directory, both relative to the root.
func relativePath(dir, to string) string {
	if dir == "." {
		return to
	}
	up := 0
	for !strings.HasPrefix(to, dir+"/") {
		up++
		if dir = path.Dir(dir); dir == "." {
			return strings.Repeat("../", up) + to
		}
	}
	return strings.Repeat("../", up) + strings.TrimPrefix(to, dir+"/")
}

// RelativeLink returns the destination of a link in the document at from to the document or file at to.
func RelativeLink(from, to string) string { return escapeDestination(relativePath(path.Dir(from), to)) }

func escapeTitle(title string) string {
	var b strings.Builder
	for _, r := range cleanTitle(title) {
		if strings.ContainsRune("\\`*_{}[]<>#&!~|$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// escapeDestination returns a path as the destination of a Markdown link.
func escapeDestination(dest string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(dest) {
		if c := dest[i]; c <= ' ' || strings.IndexByte("<>()[]\\%?#\"'", c) >= 0 {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
