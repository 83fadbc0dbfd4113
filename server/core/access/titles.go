package access

import (
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/names"
)

// titleIndex finds spaces, collections, members and teams by folded titles (names.Fold). Resources of different kinds have
// different prefixes of ids.
type titleIndex struct {
	ids  map[string][]string // by key, in no particular order
	keys map[string]string   // by id
	none map[string]bool     // ids without a title
}

func newTitleIndex() titleIndex {
	return titleIndex{ids: map[string][]string{}, keys: map[string]string{}, none: map[string]bool{}}
}

// titleKey returns the key of the resources of a kind with a folded title.
func titleKey(prefix, folded string) string { return prefix + folded }

// idPrefix returns the prefix of an id, which tells its kind.
func idPrefix(id string) string { return id[:strings.IndexByte(id, '_')+1] }

// set sets the title of a resource; nil is none.
func (x titleIndex) set(id string, title *string) {
	x.remove(id)
	if title == nil {
		x.none[id] = true
		return
	}
	key := titleKey(idPrefix(id), names.Fold(*title))
	x.keys[id] = key
	x.ids[key] = append(x.ids[key], id)
}

func (x titleIndex) remove(id string) {
	delete(x.none, id)
	key, ok := x.keys[id]
	if !ok {
		return
	}
	delete(x.keys, id)
	left := x.ids[key]
	if at := slices.Index(left, id); at >= 0 {
		left = slices.Delete(left, at, at+1)
	}
	if x.ids[key] = left; len(left) == 0 {
		delete(x.ids, key)
	}
}

// ByTitle returns the sorted ids of the spaces, collections, teams or current members whose title or name has a folded form.
// prefix is that of their ids. Spaces and collections may be deleted, and those of UntitledIDs are missing.
func (m *Model) ByTitle(prefix, folded string) []string {
	return slices.Sorted(slices.Values(m.titles.ids[titleKey(prefix, folded)]))
}

// UntitledIDs returns the sorted ids of the spaces and collections whose entries were written by version 0.1.0 or earlier and
// have no title: see store.Tx.RewriteEntry.
func (m *Model) UntitledIDs() []string { return slices.Sorted(maps.Keys(m.titles.none)) }

// setPersonTitle sets or removes the name by which a current member is found.
func (m *Model) setPersonTitle(id string, p *Person) {
	if p == nil || p.Member == nil {
		m.titles.remove(id)
		return
	}
	m.titles.set(id, &p.User.DisplayName)
}

// Title returns the title of a space, collection or team. It returns "" for other ids, and for spaces and collections whose title is
// not known: see UntitledIDs.
func (m *Model) Title(id string) string {
	if n := m.Entry(id); n != nil && n.Title != nil {
		return *n.Title
	}
	if t := m.Team(id); t != nil {
		return t.Title
	}
	return ""
}
