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

// OrganizationPrivate is the server-side part of an organization.
type OrganizationPrivate struct {
	Logo     string                `json:"logo,omitzero"` // URL
	Deletion *OrganizationDeletion `json:"deleted,omitempty"`
	// EnforcesSSO is set if single sign-on was required by somebody who had signed in by a provider. Without it, the public setting,
	// which earlier builds stored, requires nothing.
	EnforcesSSO bool `json:"enforcesSSO,omitzero"`
	// BreakGlass are tokens by which the operator of the server let admins in without single sign-on. They may have ended.
	BreakGlass []api.BreakGlass `json:"breakGlass,omitempty"`
}

// OrganizationDeletion marks a deleted organization in the trash. It is inaccessible and inactive; its data is
// unchanged.
type OrganizationDeletion struct {
	DeletedAt api.Time `json:"at"`               // by the time of Redis
	By        string   `json:"by"`               // user
	Purging   bool     `json:"purging,omitzero"` // permanent removal has begun; it cannot be restored
}

// OrganizationPurgeKind is the kind of the jobs that permanently remove deleted organizations.
const OrganizationPurgeKind = "purge-organization"

// OrganizationPurge returns the name of the job that permanently removes an organization.
func OrganizationPurge(org string) string { return txn.JobName(OrganizationPurgeKind, org) }

// IsOrganizationGone reports whether an organization does not exist or is in the trash.
func IsOrganizationGone(o OrganizationDocument) bool {
	return o.Version == 0 || o.Private.Deletion != nil
}

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

// PutOrganization writes an organization's document and updates the indexes of its e-mail domains, which are verified
// when they are read.
func (tx *Tx) PutOrganization(o OrganizationDocument) (txn.Record, error) {
	for _, domain := range o.Fields.EmailDomains {
		tx.AddToSupersetBeforeCommit(DomainKey(domain), o.Fields.ID)
	}
	if deleted := o.Private.Deletion; deleted != nil {
		entry, err := json.Marshal(map[string]int64{"deleted": deleted.DeletedAt.UnixMilli()})
		if err != nil {
			return txn.Record{}, fmt.Errorf("access entry of %s: %w", o.Fields.ID, err)
		}
		tx.SetAccess(o.Fields.ID, entry)
	}
	return PutDocument(tx, OrganizationKey(o.Fields.ID), o)
}

// UpdateIfDefaultSite applies change to the organization if site is its default site.
func (tx *Tx) UpdateIfDefaultSite(org, site string, change func(*api.OrganizationFields)) error {
	o, err := tx.Organization(org)
	if err != nil || o.Fields.DefaultContent == nil || o.Fields.DefaultContent.Site != site {
		return err
	}
	change(&o.Fields)
	_, err = tx.PutOrganization(o)
	return err
}

// DeleteOrganization moves an organization to the trash. tx must have read it. Its access entry closes the access model and
// suspends background work.
func (tx *Tx) DeleteOrganization(o OrganizationDocument, by string) (OrganizationDocument, error) {
	now, err := tx.Time()
	if err != nil {
		return o, err
	}
	o.Private.Deletion = &OrganizationDeletion{DeletedAt: api.At(now), By: by}
	tx.Schedule(o.Fields.ID, OrganizationPurge(o.Fields.ID), TrashTime)
	_, err = tx.PutOrganization(o)
	return o, err
}

// RestoreOrganization restores an organization from the trash. tx must have read it.
func (tx *Tx) RestoreOrganization(o OrganizationDocument) (txn.Record, error) {
	o.Private.Deletion = nil
	tx.SetAccess(o.Fields.ID, nil)
	tx.Unschedule(o.Fields.ID, OrganizationPurge(o.Fields.ID))
	return tx.PutOrganization(o)
}

// rewriteOrganization writes an organization for fsck.
func (tx *Tx) rewriteOrganization(_ string, o OrganizationDocument) (txn.Record, error) {
	if o.Fields.TokenMaxAgeDays != 0 || o.Private.EnforcesSSO {
		if err := tx.SetSettings(o); err != nil {
			return txn.Record{}, err
		}
	}
	if o.Private.Deletion == nil { // only a deleted organization has other derived data
		return txn.Record{}, nil
	}
	tx.Schedule(o.Fields.ID, OrganizationPurge(o.Fields.ID), TrashTime)
	return tx.PutOrganization(o)
}

// NotDeleted returns the guard that an organization is not in the trash, in which case it has no access entry of its own. Every
// commit of a member has it in its read set.
func NotDeleted(org string) txn.Guard { return txn.FieldGuard(txn.EntriesKey(org), org, "", false) }

// Organizations returns the ids in the registry, sorted. Some of the organizations may not exist.
func (s *Store) Organizations(ctx context.Context) ([]string, error) {
	b := s.NewBatch()
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

// Time returns the time of the Redis master of an organization, which applies to permanent removal. It needs one
// trip.
func (s *Store) Time(ctx context.Context, org string) (time.Time, error) {
	return s.KeyTime(ctx, txn.DueKey(org))
}
