package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// CopyResult is a record with its head, copied for another organization.
type CopyResult struct {
	Key  redis.Key // in the source organization
	Head string

	record txn.Record
}

// Users returns the ids of the users in the record.
func (c CopyResult) Users() []string {
	var users []string
	for _, half := range [][]byte{c.record.Private, c.record.Public} {
		for _, id := range userIDs.FindAll(half, -1) {
			users = append(users, string(id))
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

var userIDs = regexp.MustCompile(`\bu_[0-9a-z]{14}\b`)

// CopyRecords reads the records with the given keys and their heads in chunks and calls fn with each chunk. It stops at the
// first error.
func CopyRecords(ctx context.Context, s *Store, org string, keys []redis.Key, fn func(chunk []CopyResult) error) error {
	return InChunks(keys, func(chunk []redis.Key) error {
		values, err := s.Read(ctx, WithHeads(org, chunk))
		if err != nil {
			return err
		}
		copied, next := make([]CopyResult, 0, len(chunk)), len(chunk)
		for i, key := range chunk {
			c := CopyResult{Key: key, record: values[i].Record}
			if _, ok := HeadField(org, key.Name()); ok {
				c.Head = values[next].Text
				next++
			}
			if values[i].Present {
				copied = append(copied, c)
			}
		}
		return fn(copied)
	})
}

// Reviewers returns the requested reviewers if the record is a change request.
func (c CopyResult) Reviewers() ([]string, error) {
	if kind, _ := RecordName(c.Key.Name()); kind != "cr" {
		return nil, nil
	}
	var d ChangeRequestDocument
	if err := d.Decode(c.record); err != nil {
		return nil, err
	}
	users := make([]string, len(d.Private.Reviewers))
	for i, reviewer := range d.Private.Reviewers {
		users[i] = reviewer.User
	}
	return users, nil
}

// Transferred returns the copy of a space or collection that is kept so that it can be taken back, without its grants; ok is
// false for other records.
func (c CopyResult) Transferred() (kept TransferredEntryPrivate, ok bool) {
	kind, _ := RecordName(c.Key.Name())
	return TransferredEntryPrivate{
		Version: c.record.Version, Private: c.record.Private, Public: c.record.Public, Head: c.Head, Marks: Marks{},
	}, kind == "sp" || kind == "col"
}

// Mark adds a record with its version and head to the marks of its space. It ignores spaces and collections, because they
// contain no text, and read marks.
func (c CopyResult) Mark(m Marks) {
	kind, id := RecordName(c.Key.Name())
	if kind == "sp" || kind == "col" || kind == readingKind {
		return
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", id, c.record.Version, c.Head))
	mark := m[kind]
	mark.Count++
	mark.Sum += binary.BigEndian.Uint64(sum[:])
	m[kind] = mark
}
