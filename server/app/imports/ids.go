package imports

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"docspace.dev/wsd/server/core/revision"
)

// assignIDs assigns ids to new pages and files. They are derived from the path in the source, so that repeated
// imports, including dry runs, produce the same texts, links and conflicts.
func (u *update) assignIDs(same map[string]string) {
	taken := map[string]bool{}
	for _, a := range u.pages {
		if a.id == a.ID {
			a.id = u.freeID(revision.PagePrefix, taken, a.path, a.part)
			same[a.ID] = a.id
		}
	}
	for _, f := range u.files {
		if f.id == f.ID {
			f.id = u.freeID(revision.FilePrefix, taken, f.path)
			same[f.ID] = f.id
		}
	}
}

// idBytes is the length of derived ids. It is large enough that no two paths with the same id can be found.
const idBytes = 15

// freeID returns the id derived from a source path or, if another object has that id, from the path and a number.
func (u *update) freeID(prefix string, taken map[string]bool, at ...string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", u.source.ID, at, n))
		id := prefix + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:idBytes]))
		if !taken[id] && !u.isKnown(id) {
			taken[id] = true
			return id
		}
	}
}

// isKnown reports whether a present or removed page or file has the id, whatever its source.
func (u *update) isKnown(id string) bool {
	_, removed := u.last.sourceMap.Removed[id]
	return removed || u.last.fileIDs[id] || u.draft.BaseTree.Page(id) != nil
}
