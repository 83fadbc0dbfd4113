package events

import (
	"hash/fnv"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
)

// maxReadable is the number of spaces, collections and sites of an organization up to which a readableSet keeps hashes.
const maxReadable = 4_000

// rankBits are the bits of a hash that contain the rank of a role.
const rankBits = 1<<3 - 1

// readableSet is the set of the spaces, collections and sites of an organization that a caller can read, with their roles.
type readableSet struct {
	role    api.Role // in the organization
	isLarge bool     // the organization has more than maxReadable of them
	sum     uint64   // of the hashes
	hashes  []uint64 // of id and role, in ascending order; nil if isLarge
}

func newReadableSet(r reader) readableSet {
	spaces, collections, sites := r.model.SpaceIDs(), r.model.CollectionIDs(), r.model.SiteIDs()
	s := readableSet{role: r.caller.Role, isLarge: len(spaces)+len(collections)+len(sites) > maxReadable}
	for _, ids := range [][]string{spaces, collections, sites} {
		for _, id := range ids {
			if r.isHidden(id) {
				continue
			}
			hash := readableHash(id, r.roleOn(id))
			s.sum += hash
			if !s.isLarge {
				s.hashes = append(s.hashes, hash)
			}
		}
	}
	slices.Sort(s.hashes)
	s.hashes = slices.Clip(s.hashes)
	return s
}

// roleOn returns the caller's role on a space, collection or site.
func (r reader) roleOn(id string) api.Role {
	if access.IsSite(id) {
		return r.model.SiteRole(r.caller, id)
	}
	return r.model.Role(r.caller, id)
}

// readableHash returns a hash of the id whose last bits are the rank of the role.
func readableHash(id string, role api.Role) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // does not fail
	rank := uint64(0)
	for _, other := range role.Values() {
		if role.AtLeast(other) {
			rank++
		}
	}
	return h.Sum64()&^rankBits | rank
}

// hasLost reports whether a role in s is lower in now. For large organizations it reports whether any role differs.
func (s readableSet) hasLost(now readableSet) bool {
	if !now.role.AtLeast(s.role) {
		return true
	}
	if s.isLarge || now.isLarge {
		return now.sum != s.sum
	}
	for _, hash := range s.hashes {
		i, found := slices.BinarySearch(now.hashes, hash)
		if !found && (i == len(now.hashes) || now.hashes[i]&^rankBits != hash&^rankBits) { // no entry with the same or a higher rank
			return true
		}
	}
	return false
}
