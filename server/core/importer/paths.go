package importer

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// indexDocument is what the page of a directory of a site is called, as its address does not say.
const indexDocument = "index.html"

// sitePath is where a resource lies below the host of its site: without the host itself, query and fragment, so that
// the same site imported from another address has the same paths.
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

// directoryPath is the path of a directory below its host, without a slash at the end.
func directoryPath(dir string) string {
	u, err := url.Parse(dir)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}

// nameGroups gives the groups of a navigation, which no file stands for, the path of what lists them with the titles
// that lead to them.
func nameGroups(pages []*Page, listed string, titles ...string) {
	for _, page := range pages {
		below := slices.Concat(titles, []string{page.Title})
		if page.Path == "" {
			page.Path = listed + "#" + strings.Join(below, "/")
		}
		nameGroups(page.Children, listed, below...)
	}
}

// commonDirectory is the one directory that all of an archive lies in, with a slash behind it, or nothing: many
// archives are packed so, and call it after the version that they hold.
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
