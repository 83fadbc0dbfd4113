package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// OrganizationPrivate is what only the server reads of an organization.
type OrganizationPrivate struct {
	Logo    string               `json:"logo,omitzero"` // URL
	Deleted *OrganizationDeleted `json:"deleted,omitempty"`
}

// OrganizationDeleted says of an organization that it is in the trash: it is there for nobody, and nothing happens in it.
// All that it has stays as it is.
type OrganizationDeleted struct {
	At      api.Time `json:"at"`               // by the time of Redis
	By      string   `json:"by"`               // user
	Purging bool     `json:"purging,omitzero"` // it is being removed for good, and cannot be restored any more
}

// OrganizationPurgeKind is the kind of the jobs that remove deleted organizations.
const OrganizationPurgeKind = "purge-organization"

// OrganizationPurge is the due job that removes an organization for good.
func OrganizationPurge(org string) string { return txn.JobName(OrganizationPurgeKind, org) }

// GoneOrganization reports whether an organization is there for nobody: it does not exist, or is in the trash.
func GoneOrganization(o OrganizationDocument) bool { return o.Version == 0 || o.Private.Deleted != nil }

// OrganizationDocument is the document of an organization.
type OrganizationDocument = Document[api.OrganizationFields, OrganizationPrivate]

// Index names of an organization.
const (
	IndexMembers  = "members"
	IndexRequests = "requests"
	IndexCreated  = "created" // change requests by their creation
	IndexUpdated  = "updated" // change requests by their last change
	IndexComments = "comments"
	IndexReplies  = "replies"
	IndexReviews  = "reviews"
)

// Organization reads an organization's document.
func (tx *Tx) Organization(id string) (OrganizationDocument, error) {
	return ReadDocument[api.OrganizationFields, OrganizationPrivate](tx, OrganizationKey(id))
}

// PutOrganization writes an organization's document and keeps it among those of its e-mail domains, which is verified
// when they are read.
func (tx *Tx) PutOrganization(o OrganizationDocument) (txn.Record, error) {
	for _, domain := range o.Fields.EmailDomains {
		tx.AddToSupersetBeforeCommit(DomainKey(domain), o.Fields.ID)
	}
	if deleted := o.Private.Deleted; deleted != nil {
		entry, err := json.Marshal(map[string]int64{"deleted": deleted.At.UnixMilli()})
		if err != nil {
			return txn.Record{}, fmt.Errorf("access entry of %s: %w", o.Fields.ID, err)
		}
		tx.SetAccess(o.Fields.ID, entry)
	}
	return PutDocument(tx, OrganizationKey(o.Fields.ID), o)
}

// DeleteOrganization puts an organization into the trash that was read. It is decided by its record: from now on the
// access model is closed, and what works without a request rests.
func (tx *Tx) DeleteOrganization(o OrganizationDocument, by string) (OrganizationDocument, error) {
	now, err := tx.Time()
	if err != nil {
		return o, err
	}
	o.Private.Deleted = &OrganizationDeleted{At: api.At(now), By: by}
	tx.Schedule(o.Fields.ID, OrganizationPurge(o.Fields.ID), TrashTime)
	_, err = tx.PutOrganization(o)
	return o, err
}

// RestoreOrganization takes an organization out of the trash that was read.
func (tx *Tx) RestoreOrganization(o OrganizationDocument) (txn.Record, error) {
	o.Private.Deleted = nil
	tx.SetAccess(o.Fields.ID, nil)
	tx.Unschedule(o.Fields.ID, OrganizationPurge(o.Fields.ID))
	return tx.PutOrganization(o)
}

// rewriteOrganization is how an organization is written, for fsck.
func (tx *Tx) rewriteOrganization(_ string, o OrganizationDocument) (txn.Record, error) {
	if o.Private.Deleted == nil { // it implies nothing
		return txn.Record{}, nil
	}
	tx.Schedule(o.Fields.ID, OrganizationPurge(o.Fields.ID), TrashTime)
	return tx.PutOrganization(o)
}

// NotDeleted is what the access model has of an organization that is not in the trash: nothing. Every commit of a member
// has it in its read set.
func NotDeleted(org string) txn.Guard { return txn.FieldGuard(txn.EntriesKey(org), org, "", false) }

// Organizations lists the organizations of the registry, which may name some that do not exist, by id.
func (s *Store) Organizations(ctx context.Context) ([]string, error) {
	b := s.Pipeline()
	parts := make([][]string, txn.RegistryParts)
	for i := range parts {
		b.Range(registryPart(i), "", -1, false).Into(&parts[i])
	}
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	ids := slices.Concat(parts...)
	slices.Sort(ids)
	return ids, nil
}

// RegisterJobs puts organizations that have jobs back into the registry of jobs:
// see jobs.Queue.RegisterAgain. Every node does this from time to time.
func (s *Store) RegisterJobs(ctx context.Context) (missing int, err error) {
	organizations, err := s.Organizations(ctx)
	if err != nil {
		return 0, err
	}
	return s.Jobs.RegisterAgain(ctx, organizations)
}

// Time is the time of the Redis that has an organization: what decides when
// something goes for good. One trip.
func (s *Store) Time(ctx context.Context, org string) (time.Time, error) {
	return s.KeyTime(ctx, txn.DueKey(org))
}
