package importer

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// indexDocument is the file name used for a directory's page, whose URL has none.
const indexDocument = "index.html"

// sitePath returns the path of a resource relative to its host, without query and fragment, so that the same site
// imported from another host has the same paths.
func sitePath(u *url.URL) string {
	key := pageKey(u)
	at, err := url.PathUnescape(strings.TrimPrefix(strings.TrimPrefix(key, origin(u)), "/"))
	if err != nil {
		at = strings.TrimPrefix(u.EscapedPath(), "/")
	}
	if at == "" || strings.HasSuffix(at, "/") {
		at += indexDocument
	}
	return at
}

// directoryPath returns the path of a directory relative to its host, without a trailing slash.
func directoryPath(dir string) string {
	u, err := url.Parse(dir)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// nameGroups sets the paths of navigation groups, which have no file: the path of the listing document, followed by
// the titles of the group and its ancestors.
func nameGroups(pages []*Page, listed string, titles ...string) {
	for _, page := range pages {
		below := slices.Concat(titles, []string{page.Title})
		if page.Path == "" {
			page.Path = listed + "#" + strings.Join(below, "/")
		}
		nameGroups(page.Children, listed, below...)
	}
}

// commonDirectory returns the root directory that contains all names, with a trailing slash, or "" if there is none.
// Many archives have one that is named after a version.
func commonDirectory(names []string) string {
	if len(names) == 0 {
		return ""
	}
	top, _, below := strings.Cut(names[0], "/")
	for _, name := range names {
		if !below || !strings.HasPrefix(name, top+"/") {
			return ""
		}
	}
	return path.Clean(top) + "/"
}
