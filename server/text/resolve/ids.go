package resolve

import (
	"strings"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
)

// ParseID returns the id of the page or file that a destination names by id, as in /pages/p_1#part. fragment begins with # if there is
// one.
func ParseID(destination string) (id, fragment string, ok bool) {
	to, name, hasFragment := strings.Cut(destination, "#")
	if hasFragment {
		fragment = "#" + name
	}
	if id, ok = strings.CutPrefix(to, "/pages/"); !ok {
		id, ok = strings.CutPrefix(to, "/files/")
	}
	return id, fragment, ok
}

// WriteRelative returns the text of the document at a path of a folder with the links that name pages and files by id written as paths
// relative to it. All other links stay as they are, and so do all of a document without a path. paths are those of the folder, by id.
func WriteRelative(markdown []byte, at string, paths map[string]string) []byte {
	return content.RewriteLinks(markdown, func(link content.Link) (string, bool) {
		id, fragment, ok := ParseID(link.Destination)
		to, known := paths[id]
		if !ok || !known || at == "" {
			return "", false
		}
		return dialects.RelativeLink(at, to) + fragment, true
	})
}
