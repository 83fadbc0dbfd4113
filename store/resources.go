package store

import (
	"context"
	"fmt"
	"strings"
)

// resource says what a record of a kind implies elsewhere in its shard, by
// running the function that writes it as if it were new: what that writes has
// to be there, and nothing else. So nothing is said twice, and Fsck holds for
// every resource that has a line here.
type resource struct {
	kind    string   // of the record: the word behind the hash tag
	indexes []string // the orders and indexes that only this kind writes to
	write   func(tx *Tx, org string, r Record) error
}

// resources lists every kind of record that implies something.
func resources() []resource {
	return []resource{
		{"mem", []string{"ix:" + IndexMembers}, writeMember},
		{"col", []string{"kids"}, writeCollection},
		{"sp", []string{"kids"}, writeSpace},
		{"cr", []string{"ix:" + IndexRequests}, writeRequest},
		{"cm", []string{"ix:" + IndexComments}, writeComment},
		{"rp", []string{"ix:" + IndexReplies}, writeReply},
	}
}

// writeMember leaves out the shape: it has the user's public fields, which
// stand in another shard.
func writeMember(tx *Tx, org string, r Record) error {
	var d MemberDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	tx.Add(MembersKey(org), d.Fields.ID)
	return nil
}

func writeSpace(tx *Tx, org string, r Record) error {
	var d SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	if d.Fields.DeletedAt.IsZero() {
		tx.Add(kidsOf(org, d.Fields.Parent), Member(d.Private.Order, d.Fields.ID))
	}
	tx.CountSpace(org, d.Fields.ID)
	_, err := tx.PutSpace(d)
	return err
}

func writeCollection(tx *Tx, org string, r Record) error {
	var d CollectionDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	tx.Add(kidsOf(org, d.Fields.Parent), Member(d.Private.Order, d.Fields.ID))
	_, err := tx.PutCollection(d)
	return err
}

func writeRequest(tx *Tx, org string, r Record) error {
	var d ChangeRequestDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutChangeRequest(org, d, "")
	return err
}

func writeComment(tx *Tx, org string, r Record) error {
	var d CommentDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	tx.Counts(d.Fields.ID, RepliesKey(org, d.Fields.ID)) // stays, at 0, when the last reply goes
	_, err := tx.PutComment(org, d, "")
	return err
}

func writeReply(tx *Tx, org string, r Record) error {
	var d ReplyDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Version = 0
	_, err := tx.PutReply(org, d)
	return err
}

// implied is what a record implies.
type implied struct {
	members []slot            // of orders and indexes
	shape   map[string]string // entries by id
	counts  []count
}

// imply runs the resource of a record without sending anything.
func (s *Store) imply(org, name string, r Record) (implied, error) {
	_, rest, _ := strings.Cut(name, "}:")
	kind, _, _ := strings.Cut(rest, ":")
	for _, resource := range resources() {
		if resource.kind == kind {
			return s.rehearse(resource, org, Key{name: name, kind: RecordKind}, r)
		}
	}
	return implied{}, nil
}

// rehearse collects the writes of a resource. It makes no trip: everything that
// the resource reads is there.
//
//nolint:contextcheck,nolintlint // there is nothing to wait for
func (s *Store) rehearse(resource resource, org string, key Key, r Record) (implied, error) {
	u := update{store: s, shard: Organization(org)}
	tx := u.begin(context.Background())
	tx.reads[key] = reading{present: true, record: r}
	if err := resource.write(tx, org, r); err != nil {
		return implied{}, err
	}
	if tx.err != nil {
		return implied{}, fmt.Errorf("%s: %w", key, tx.err)
	}
	found := implied{shape: map[string]string{}, counts: tx.counts}
	shapes := ShapesKey(org)
	for _, write := range tx.writes {
		switch {
		case write.letter == "Z":
			found.members = append(found.members, slot{write.key, write.args[1].(string)})
		case write.letter == "F" && write.key == shapes:
			found.shape[write.args[0].(string)] = write.args[1].(string)
		}
	}
	return found, nil
}

// writesIndex reports whether some resource is the only writer of an order or
// index, given by name.
func writesIndex(name string) bool {
	_, rest, _ := strings.Cut(name, "}:")
	for _, resource := range resources() {
		for _, index := range resource.indexes {
			if strings.HasPrefix(rest, index+":") {
				return true
			}
		}
	}
	return false
}
