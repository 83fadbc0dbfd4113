package dialects

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Page is a page of a tree that is laid out as a folder.
type Page struct {
	ID    string
	Kind  Kind
	Title string // shown in the navigation
	// TextTitle is the title that the text of a document says, "" if it says none.
	TextTitle string
	Slug      string
	// Path is the path of a document. Layout keeps it if it can, and sets it for documents without one.
	Path string
	// IsPart marks a later part of the document with the same path. It has no file of its own.
	IsPart bool
	// IsOwn marks a document that was made here rather than in a folder. It must be in SUMMARY.md if there is one.
	IsOwn    bool
	Link     string // destination of a Link
	Children []*Page
}

// Layout gives every document of a tree a path of its own that all common file systems can hold. Documents keep their
// paths where these are valid and do not clash; the others get one made of the slugs of the page and its ancestors. Equal
// trees have equal layouts. taken are paths of other files of the folder.
func Layout(pages []*Page, taken []string) {
	l := layout{taken: map[string]bool{foldPath(SummaryName): true}}
	for _, name := range taken {
		l.taken[foldPath(name)] = true
	}
	l.keep(pages)
	l.name(pages, "")
}

// layout holds the paths that are in use, folded.
type layout struct{ taken map[string]bool }

// keep reserves the paths of documents that have a valid one. Of documents with equal paths the first one in the order
// of the tree keeps it.
func (l layout) keep(pages []*Page) {
	for _, p := range pages {
		if p.Kind == Document && p.Path != "" && !p.IsPart {
			if key := foldPath(p.Path); InvalidPathReason(p.Path) == "" && IsMarkdown(p.Path) && !l.taken[key] {
				l.taken[key] = true
			} else {
				p.Path = ""
			}
		}
		l.keep(p.Children)
	}
}

// name gives the documents without a path one below the directory of their parent.
func (l layout) name(pages []*Page, dir string) {
	for _, p := range pages {
		below := dir
		switch {
		case p.Kind == Link || p.IsPart:
		case p.Kind == Group:
			below = path.Join(dir, safeName(p.Slug))
		case p.Path == "":
			p.Path = l.free(path.Join(dir, safeName(p.Slug)), len(p.Children) > 0)
			below = directoryOf(p.Path)
		default:
			below = directoryOf(p.Path)
		}
		l.name(p.Children, below)
	}
}

// free returns the first free path of a document with the given path without extension.
func (l layout) free(stem string, hasChildren bool) string {
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		if hasChildren {
			name = path.Join(name, "README.md")
		} else {
			name += ".md"
		}
		if key := foldPath(name); !l.taken[key] {
			l.taken[key] = true
			return name
		}
	}
}

// directoryOf returns the directory of the children of a document: that of a directory's own document, else one with
// the document's name.
func directoryOf(name string) string {
	if IsIndex(name) {
		if dir := path.Dir(name); dir != "." {
			return dir
		}
		return ""
	}
	return strings.TrimSuffix(name, path.Ext(name))
}

// FreePath returns a valid path for a file with the given name that is not in taken, whose keys FoldPath made, and adds
// it.
func FreePath(name string, taken map[string]bool) string {
	dir, base := path.Split(name)
	ext := path.Ext(base)
	stem := safeName(strings.TrimSuffix(base, ext))
	if elementReason("x"+ext) != "" || len(ext) > maxExtensionBytes {
		stem, ext = safeName(base), ""
	}
	if elementReason(stem+ext) != "" {
		stem = "file-" + stem
	}
	for n := 1; ; n++ {
		at := dir + stem + ext
		if n > 1 {
			at = dir + stem + "-" + strconv.Itoa(n) + ext
		}
		if key := foldPath(at); !taken[key] {
			taken[key] = true
			return at
		}
	}
}

// FoldPath returns a path in the form in which two paths are equal if some common file system takes them for one.
func FoldPath(name string) string { return foldPath(name) }

func foldPath(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }

// maxNameBytes is the maximum length of the name of a file on common file systems.
const maxNameBytes = 255

// maxExtensionBytes limits the extension that a file keeps if its path is made of its name, with the full stop.
const maxExtensionBytes = 20

// safeName returns a name as a valid element of a path.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) || r == utf8.RuneError || isIgnorable(r) {
			return '-'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if name == "" || elementReason(name) != "" {
		name = "page-" + name
	}
	for len(name) > maxNameBytes-len("file--1000000")-maxExtensionBytes {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return strings.TrimRight(name, ". ")
}

// InvalidPathReason returns why a path cannot be that of a file in a folder on all common file systems, "" if it can: it leads out
// of the folder, into a directory of git or wsctl, or has a name that some system reserves or takes for another one.
func InvalidPathReason(name string) string {
	switch {
	case name == "" || !utf8.ValidString(name):
		return "is not a path"
	case strings.HasPrefix(name, "/") || path.Clean(name) != name || name == "." || name == ".." || strings.HasPrefix(name, "../"):
		return "is not a path below the root"
	}
	for element := range strings.SplitSeq(name, "/") {
		if reason := elementReason(element); reason != "" {
			return reason
		}
	}
	return ""
}

func elementReason(element string) string {
	if len(element) > maxNameBytes {
		return "has a name longer than 255 bytes"
	}
	for _, r := range element {
		switch {
		case r < ' ' || r == 0x7f:
			return "has a control character"
		case strings.ContainsRune(`<>:"\|?*`, r):
			return "has a character that Windows does not allow"
		case isIgnorable(r):
			return "has an invisible character"
		}
	}
	if strings.HasSuffix(element, ".") || strings.HasSuffix(element, " ") {
		return "has a name that ends with a dot or a space"
	}
	stem, _, _ := strings.Cut(strings.ToLower(element), ".")
	switch stem = strings.TrimRight(stem, " "); {
	case isDevice(stem):
		return "has the name of a device"
	case IsReserved(element):
		return "is reserved for git or wsctl"
	}
	return ""
}

// isIgnorable reports whether some file system ignores a character in names.
func isIgnorable(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff || r == 0xad
}

func isDevice(stem string) bool {
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	last, size := utf8.DecodeLastRuneInString(stem)
	device := stem[:len(stem)-size]
	return (device == "com" || device == "lpt") && (last >= '0' && last <= '9' || strings.ContainsRune("¹²³", last))
}

// IsReserved reports whether the name of a file is, on some file system, one of git or wsctl: .git, .gitmodules, .wsctl, wsctl.yaml,
// those of an export, and the short names of Windows for them.
func IsReserved(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case ".git", ".gitmodules", ".gitattributes", ".gitignore", ".wsctl", "wsctl.yaml", "wsctl.pages.yaml", "wsctl.manifest.json",
		"wsctl.history.jsonl":
		return true
	}
	for _, short := range []string{"git~", "gitmod~", "gitatt~", "gitign~", "wsctl~", "wsctly~", "wsctlp~", "wsctlm~", "wsctlh~"} {
		number, isShort := strings.CutPrefix(name, short)
		if number, _, _ = strings.Cut(number, "."); isShort && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}
