package content

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// schemePattern matches the beginning of destinations that are not paths.
var schemePattern = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:|//|www\.)`)

// IsExternal reports whether a destination is outside of the site and need not be resolved.
func IsExternal(destination string) bool { return schemePattern.MatchString(destination) }

// SplitDestination splits off the fragment of a destination and drops its query. Both parts are percent-decoded and
// in normal form C. The fragment #top is dropped.
func SplitDestination(destination string) (to, fragment string) {
	to, fragment, _ = strings.Cut(destination, "#")
	to, _, _ = strings.Cut(to, "?")
	if fragment = decode(fragment); fragment == "top" {
		fragment = ""
	}
	return decode(to), fragment
}

func decode(s string) string {
	if text, err := url.PathUnescape(s); err == nil {
		s = text
	}
	return norm.NFC.String(s)
}

// JoinPath joins a path to a directory, both absolute. inside is false if the result is above the root. A trailing
// slash is kept.
func JoinPath(dir, to string) (at string, inside bool) {
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

// pageSuffixes lists the suffixes of files that become pages.
var pageSuffixes = []string{".md", ".mdx", ".markdown", ".html", ".htm"}

// directoryPages lists the stems of files that represent their directory, in order of precedence.
var directoryPages = []string{"README", "index"}

// SourcePaths returns the file paths that a path may refer to: itself, the page of the directory, and the page with
// that name.
func SourcePaths(at string) (paths []string) {
	dir := strings.TrimSuffix(at, "/")
	if dir == at {
		paths = append(paths, at)
	}
	for _, stem := range directoryPages {
		for _, suffix := range pageSuffixes {
			paths = append(paths, strings.TrimPrefix(dir+"/"+stem+suffix, "/"))
		}
	}
	return append(paths, PageFileNames(dir)...)
}

// PageFileNames returns the file names of a page whose suffix is omitted or is that of a generated site.
func PageFileNames(name string) (names []string) {
	for _, suffix := range pageSuffixes {
		names = append(names, name+suffix)
	}
	stem, cut := strings.CutSuffix(name, ".html")
	if !cut {
		stem, cut = strings.CutSuffix(name, ".htm")
	}
	for _, suffix := range pageSuffixes {
		if cut {
			names = append(names, stem+suffix)
		}
	}
	return names
}

// IsDirectoryPage reports whether a file name represents its directory.
func IsDirectoryPage(name string) bool {
	stem, _ := CutPageSuffix(name)
	return slices.ContainsFunc(directoryPages, func(page string) bool { return strings.EqualFold(stem, page) })
}

// LooksLikePage reports whether the suffix of a destination is that of a page.
func LooksLikePage(destination string) bool {
	to, _ := SplitDestination(destination)
	_, isPage := CutPageSuffix(to)
	return isPage || path.Ext(to) == ""
}

// CutPageSuffix cuts the suffix of a file that becomes a page from its name. cut is false if it has none.
func CutPageSuffix(name string) (stem string, cut bool) {
	for _, suffix := range pageSuffixes {
		if stem, cut = strings.CutSuffix(name, suffix); cut {
			return stem, true
		}
	}
	return name, false
}
