package store

import (
	"context"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/txn"
)

// OrganizationPrivate is what only the server reads of an organization.
type OrganizationPrivate struct {
	Logo string `json:"logo,omitzero"` // URL
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

// PutOrganization writes an organization's document and keeps it among those of its e-mail domains, which is verified
// when they are read.
func (tx *Tx) PutOrganization(o OrganizationDocument) (txn.Record, error) {
	for _, domain := range o.Fields.EmailDomains {
		tx.AddToSupersetBeforeCommit(DomainKey(domain), o.Fields.ID)
	}
	return PutDocument(tx, OrganizationKey(o.Fields.ID), o)
}

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
	return s.TimeAt(ctx, txn.DueKey(org))
}
