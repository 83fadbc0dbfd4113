package imports

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"docspace.dev/wsd/server/core/revision"
)

// nameNew gives what is new its id. It follows from where it lies in the source, so that whoever imports the same into the
// same again, a dry run before all, gets the same texts, with the same links, and the same conflicts.
func (u *update) nameNew(same map[string]string) {
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

// idBytes are as many as keep anybody from finding two paths with the same id.
const idBytes = 15

// freeID is the id of what has a path in the source; the next one where something that came from there before has it.
func (u *update) freeID(prefix string, taken map[string]bool, at ...string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", u.source.ID, at, n))
		id := prefix + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:idBytes]))
		if !taken[id] && !u.known(id) {
			taken[id] = true
			return id
		}
	}
}

// known reports whether a page or file of here, or one that was removed here, has an id. It may be of another source by now.
func (u *update) known(id string) bool {
	_, removed := u.before.known.Removed[id]
	return removed || u.before.fileIDs[id] || u.draft.Start.Page(id) != nil
}
