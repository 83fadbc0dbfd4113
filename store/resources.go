package store

import (
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// resource defines how records of a kind are written. The writes to the rest of the shard are exactly the derived
// data of the record, which fsck checks for every resource.
type resource struct {
	kind    string   // kind of the record: the word after the hash tag in its key
	indexes []string // orders and indexes written by this kind only
	write   func(tx *Tx, org string, r txn.Record) error
}

// resources returns every kind of record with derived data: its indexes and the function that writes it.
func resources() []resource {
	return []resource{
		{"org", nil, rewrite((*Tx).rewriteOrganization)},
		{"mem", []string{"ix:" + IndexMembers}, rewrite((*Tx).PutMember)},
		{"team", nil, rewrite((*Tx).PutTeam)},
		{"inv", []string{"ix:" + IndexInvites}, rewrite((*Tx).PutInvite)},
		{"li", []string{"ix:" + IndexLinkInvites}, rewrite((*Tx).PutLinkInvite)},
		{"col", []string{"kids"}, rewrite((*Tx).rewriteCollection)},
		{"sp", []string{"kids"}, rewrite((*Tx).rewriteSpace)},
		{"cr", []string{"ix:" + IndexRequests, "ix:" + IndexCreated, "ix:" + IndexUpdated}, rewrite((*Tx).rewriteRequest)},
		{"cm", []string{"ix:" + IndexComments}, rewrite((*Tx).rewriteComment)},
		{"rp", []string{"ix:" + IndexReplies}, rewrite((*Tx).rewriteReply)},
		{"read", []string{"ix:" + IndexReadings, "ix:" + IndexReader}, rewrite((*Tx).PutReading)},
		{"sub", []string{"ix:" + IndexSubmissions}, rewrite((*Tx).PutSubmission)},
		{"rv", []string{"ix:" + IndexReviews}, rewrite((*Tx).PutReview)},
		{"oas", []string{"ix:" + IndexOpenAPISpecs, "ix:" + IndexOpenAPIPending}, rewrite((*Tx).PutOpenAPISpec)},
		{"oasv", []string{"ix:" + IndexOpenAPIVersions}, rewrite((*Tx).PutOpenAPIVersion)},
		{"imp", []string{"ix:" + IndexImportRuns}, rewrite((*Tx).PutImportRun)},
		{"tr", []string{"ix:" + IndexTranslations}, rewrite((*Tx).PutTranslation)},
		{"mv", nil, writeMoved},
		{"out", []string{"ix:" + IndexMoving}, writeTransfer},
		{"in", []string{"ix:" + IndexMoving}, writeArrival},
		{"copy", nil, writeCopy},
		{"tf", []string{"ix:" + IndexTransfers}, rewrite((*Tx).PutTransferred)},
		{"saml", []string{"ix:" + IndexSAMLProviders}, rewrite((*Tx).PutSAMLProvider)},
		{"ident", []string{"ix:" + IndexIdentities}, rewrite((*Tx).PutIdentity)},
		{"oidc", []string{"ix:" + IndexOIDCProviders}, rewrite((*Tx).PutOIDCProvider)},
		{"site", []string{"ix:" + IndexBasenames}, rewrite((*Tx).PutSite)},
		{"link", []string{"ix:" + IndexLinks}, rewrite((*Tx).PutShareLink)},
		{"int", []string{"ix:" + IndexIntegrations}, rewrite(withoutOrganization((*Tx).PutIntegration))},
		{"inst", []string{"ix:" + IndexInstallations}, rewrite(withoutOrganization((*Tx).PutInstallation))},
		{"at", []string{"ix:" + IndexInstalled}, rewrite(withoutOrganization((*Tx).PutInstalled))},
	}
}

// rewrite returns the write function of a resource from the method that puts its document.
func rewrite[F, P any](put func(tx *Tx, org string, d Document[F, P]) (txn.Record, error)) func(tx *Tx, org string, r txn.Record) error {
	return func(tx *Tx, org string, r txn.Record) error {
		var d Document[F, P]
		if err := d.Decode(r); err != nil {
			return err
		}
		_, err := put(tx, org, d)
		return err
	}
}

// withoutOrganization adapts a method for a document without organization.
func withoutOrganization[D any](put func(tx *Tx, d D) (txn.Record, error)) func(tx *Tx, org string, d D) (txn.Record, error) {
	return func(tx *Tx, _ string, d D) (txn.Record, error) { return put(tx, d) }
}

func (tx *Tx) rewriteSpace(org string, d SpaceDocument) (txn.Record, error) {
	switch {
	case d.Private.State.IsHidden():
	case d.Fields.DeletedAt.IsZero():
		tx.Add(ChildrenKey(org, d.Fields.Parent), txn.OrderMember(d.Private.Order, d.Fields.ID))
	default:
		tx.Schedule(org, PurgeJob(d.Fields.ID), TrashTime)
	}
	tx.CountSpace(org, d.Fields.ID)
	return tx.PutSpace(d)
}

func (tx *Tx) rewriteCollection(org string, d CollectionDocument) (txn.Record, error) {
	switch {
	case d.Private.State.IsHidden():
	case d.Fields.DeletedAt.IsZero():
		tx.Add(ChildrenKey(org, d.Fields.Parent), txn.OrderMember(d.Private.Order, d.Fields.ID))
	default:
		tx.Schedule(org, PurgeJob(d.Fields.ID), TrashTime)
	}
	return tx.PutCollection(d)
}

func (tx *Tx) rewriteRequest(org string, d ChangeRequestDocument) (txn.Record, error) {
	id := RequestID(d.Fields.Space, d.Fields.Number)
	tx.Counts(id, CommentsKey(org, id, string(api.CommentOpen))) // remains, with 0, after the last comment
	return tx.PutChangeRequest(org, d, "")
}

func (tx *Tx) rewriteComment(org string, d CommentDocument) (txn.Record, error) {
	tx.Counts(d.Fields.ID, RepliesKey(org, d.Fields.ID)) // remains, with 0, after the last reply
	return tx.PutComment(org, d, "")
}

func (tx *Tx) rewriteReply(org string, d ReplyDocument) (txn.Record, error) {
	d.Version = 0
	return tx.PutReply(org, d)
}

// Rewrite writes a record of a kind with its derived data as if it were new. Transfers use it to write records to
// another organization.
func (tx *Tx) Rewrite(org, kind string, r txn.Record) error {
	for _, resource := range resources() {
		if resource.kind == kind {
			return resource.write(tx, org, r)
		}
	}
	return redis.Misuse("records of the kind %q", kind)
}

// DerivedData is the derived data of a record.
type DerivedData struct {
	Members []txn.KeyMember   // of orders and indexes
	Access  map[string]string // entries by id
	Counts  []txn.Count
}

// DerivedData returns the derived data of a record without sending anything. heads are the heads of the organization.
func (s *Store) DerivedData(org, name string, r txn.Record, heads map[string]string) (DerivedData, error) {
	kind, id := RecordName(name)
	for _, resource := range resources() {
		if resource.kind == kind {
			head, ok := heads[id]
			reads := map[redis.Key]txn.Reading{
				redis.NamedKey(redis.RecordKind, name): {Present: true, Record: r},
				HeadsKey(org).Field(id):                {Present: ok, Text: head},
			}
			return s.derive(resource, org, r, reads)
		}
	}
	return DerivedData{}, nil
}

// DerivedData is Store.DerivedData for the store of the transaction.
func (tx *Tx) DerivedData(org, name string, r txn.Record, heads map[string]string) (DerivedData, error) {
	return tx.store.DerivedData(org, name, r, heads)
}

// RecordName returns the kind of a record, which is the word after the hash tag, and its identifier.
func RecordName(name string) (kind, id string) {
	_, rest, _ := strings.Cut(name, "}:")
	kind, id, _ = strings.Cut(rest, ":")
	return kind, id
}

// derive collects the writes of a resource without a trip: reads contains everything that the resource reads.
func (s *Store) derive(resource resource, org string, r txn.Record, reads map[redis.Key]txn.Reading) (DerivedData, error) {
	done, err := s.Rehearse(Organization(org), reads, func(tx *txn.Tx) error { return resource.write(&Tx{tx, s}, org, r) })
	if err != nil {
		if errors.Is(err, redis.ErrMisuse) && done.Misused {
			err = fmt.Errorf("record of the kind %s: %w", resource.kind, err)
		}
		return DerivedData{}, err
	}
	implied := DerivedData{Access: map[string]string{}, Counts: done.Counts, Members: done.Members}
	entries := txn.EntriesKey(org)
	for _, field := range done.Fields {
		if field.Key == entries {
			implied.Access[field.Member] = field.Value
		}
	}
	return implied, nil
}

// WritesIndex reports whether an order or index is written by one kind of resource only.
func WritesIndex(name string) bool {
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
