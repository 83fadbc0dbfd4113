package store

import (
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// resource says what a record of a kind implies elsewhere in its shard, by
// running the function that writes it as if it were new: what that writes has
// to be there, and nothing else. So nothing is said twice, and Fsck holds for
// every resource that has a line here.
type resource struct {
	kind    string   // of the record: the word behind the hash tag
	indexes []string // the orders and indexes that only this kind writes to
	write   func(tx *Tx, org string, r txn.Record) error
}

// resources lists every kind of record that implies something.
func resources() []resource {
	return []resource{
		{"mem", []string{"ix:" + IndexMembers}, writeMember},
		{"team", nil, writeTeam},
		{"inv", []string{"ix:" + IndexInvites}, writeInvite},
		{"li", []string{"ix:" + IndexLinkInvites}, writeLinkInvite},
		{"col", []string{"kids"}, writeCollection},
		{"sp", []string{"kids"}, writeSpace},
		{"cr", []string{"ix:" + IndexRequests, "ix:" + IndexCreated, "ix:" + IndexUpdated}, writeRequest},
		{"cm", []string{"ix:" + IndexComments}, writeComment},
		{"rp", []string{"ix:" + IndexReplies}, writeReply},
		{"rv", []string{"ix:" + IndexReviews}, writeReview},
		{"oas", []string{"ix:" + IndexOpenAPISpecs}, writeOpenAPISpec},
		{"oasv", []string{"ix:" + IndexOpenAPIVersions}, writeOpenAPIVersion},
		{"tr", []string{"ix:" + IndexTranslations}, writeTranslation},
		{"mv", nil, writeMoved},
		{"out", nil, writeTransfer},
		{"in", nil, writeArrival},
		{"tf", []string{"ix:" + IndexTransfers}, writeTransferred},
		{"saml", []string{"ix:" + IndexSAMLProviders}, writeSAMLProvider},
		{"site", []string{"ix:" + IndexBasenames}, writeSite},
		{"link", []string{"ix:" + IndexLinks}, writeShareLink},
		{"int", []string{"ix:" + IndexIntegrations}, writeIntegration},
		{"inst", []string{"ix:" + IndexInstallations}, writeInstallation},
	}
}

func writeMember(tx *Tx, org string, r txn.Record) error {
	var d MemberDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutMember(org, d)
	return err
}

func writeTeam(tx *Tx, org string, r txn.Record) error {
	var d TeamDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutTeam(org, d)
	return err
}

func writeInvite(tx *Tx, org string, r txn.Record) error {
	var d InviteDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutInvite(org, d)
	return err
}

func writeLinkInvite(tx *Tx, org string, r txn.Record) error {
	var d LinkInviteDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutLinkInvite(org, d)
	return err
}

func writeSpace(tx *Tx, org string, r txn.Record) error {
	var d SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	switch {
	case d.Private.State.Hidden():
	case d.Fields.DeletedAt.IsZero():
		tx.Add(kidsOf(org, d.Fields.Parent), txn.Member(d.Private.Order, d.Fields.ID))
	default:
		tx.Schedule(org, PurgeJob(d.Fields.ID), TrashTime)
	}
	tx.CountSpace(org, d.Fields.ID)
	_, err := tx.PutSpace(d)
	return err
}

func writeCollection(tx *Tx, org string, r txn.Record) error {
	var d CollectionDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	if !d.Private.State.Hidden() {
		tx.Add(kidsOf(org, d.Fields.Parent), txn.Member(d.Private.Order, d.Fields.ID))
	}
	_, err := tx.PutCollection(d)
	return err
}

func writeRequest(tx *Tx, org string, r txn.Record) error {
	var d ChangeRequestDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	id := RequestID(d.Fields.Space, d.Fields.Number)
	tx.Counts(id, CommentsKey(org, id, string(api.CommentOpen))) // stays, at 0, when the last comment goes
	_, err := tx.PutChangeRequest(org, d, "")
	return err
}

func writeComment(tx *Tx, org string, r txn.Record) error {
	var d CommentDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	tx.Counts(d.Fields.ID, RepliesKey(org, d.Fields.ID)) // stays, at 0, when the last reply goes
	_, err := tx.PutComment(org, d, "")
	return err
}

func writeReply(tx *Tx, org string, r txn.Record) error {
	var d ReplyDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	d.Version = 0
	_, err := tx.PutReply(org, d)
	return err
}

func writeReview(tx *Tx, org string, r txn.Record) error {
	var d ReviewDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutReview(org, d)
	return err
}

func writeOpenAPISpec(tx *Tx, org string, r txn.Record) error {
	var d OpenAPISpecDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutOpenAPISpec(org, d)
	return err
}

func writeOpenAPIVersion(tx *Tx, org string, r txn.Record) error {
	var d OpenAPIVersionDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutOpenAPIVersion(org, d)
	return err
}

func writeTranslation(tx *Tx, org string, r txn.Record) error {
	var d TranslationDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutTranslation(org, d)
	return err
}

func writeSAMLProvider(tx *Tx, org string, r txn.Record) error {
	var d SAMLProviderDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutSAMLProvider(org, d)
	return err
}

func writeSite(tx *Tx, org string, r txn.Record) error {
	var d SiteDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutSite(org, d)
	return err
}

func writeShareLink(tx *Tx, org string, r txn.Record) error {
	var d ShareLinkDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutShareLink(org, d)
	return err
}

func writeIntegration(tx *Tx, _ string, r txn.Record) error {
	var d IntegrationDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutIntegration(d)
	return err
}

func writeInstallation(tx *Tx, _ string, r txn.Record) error {
	var d InstallationDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	_, err := tx.PutInstallation(d)
	return err
}

// implied is what a record implies.
type implied struct {
	members []txn.Cell        // of orders and indexes
	shape   map[string]string // entries by id
	counts  []txn.Count
}

// imply runs the resource of a record without sending anything. heads are those of the organization.
func (s *Store) imply(org, name string, r txn.Record, heads map[string]string) (implied, error) {
	kind, id := recordName(name)
	for _, resource := range resources() {
		if resource.kind == kind {
			head, ok := heads[id]
			reads := map[redis.Key]txn.Reading{
				redis.Named(redis.RecordKind, name): {Present: true, Record: r},
				HeadsKey(org).Field(id):             {Present: ok, Text: head},
			}
			return s.rehearse(resource, org, r, reads)
		}
	}
	return implied{}, nil
}

// recordName returns the kind of a record, the word behind the hash tag, and the identifier behind it.
func recordName(name string) (kind, id string) {
	_, rest, _ := strings.Cut(name, "}:")
	kind, id, _ = strings.Cut(rest, ":")
	return kind, id
}

// rehearse collects the writes of a resource. It makes no trip: everything that
// the resource reads is among reads.
func (s *Store) rehearse(resource resource, org string, r txn.Record, reads map[redis.Key]txn.Reading) (implied, error) {
	done, err := s.Rehearse(Organization(org), reads, func(tx *txn.Tx) error { return resource.write(&Tx{tx, s}, org, r) })
	if err != nil {
		if errors.Is(err, redis.ErrMisuse) && done.Broken {
			err = fmt.Errorf("record of the kind %s: %w", resource.kind, err)
		}
		return implied{}, err
	}
	found := implied{shape: map[string]string{}, counts: done.Counts, members: done.Members}
	shapes := txn.ShapesKey(org)
	for _, field := range done.Fields {
		if field.Key == shapes {
			found.shape[field.Member] = field.Value
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
