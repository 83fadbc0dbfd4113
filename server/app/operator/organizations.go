package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// OrganizationState describes whether an organization can be used.
type OrganizationState string

// States of an organization.
const (
	OrganizationActive  OrganizationState = "active"
	OrganizationTrashed OrganizationState = "trash"   // deleted; see `wsd trash list`
	OrganizationDamaged OrganizationState = "damaged" // its record cannot be read; see `wsd fsck`
)

// Organization is an organization as listed by `wsd org list`.
type Organization struct {
	ID        string            `json:"id"`
	Title     string            `json:"title"`
	State     OrganizationState `json:"state"`
	Members   int64             `json:"members"`
	Admins    int64             `json:"admins"`
	Bytes     int64             `json:"bytes"` // what it stores
	CreatedAt api.Time          `json:"createdAt,omitzero"`
}

// OrganizationDetails is an organization as shown by `wsd org show`.
type OrganizationDetails struct {
	Organization
	Hostname     string       `json:"hostname,omitzero"`
	EmailDomains []string     `json:"emailDomains"`
	Limits       []orgs.Limit `json:"-"`
	AdminUsers   []User       `json:"adminUsers"`
}

// ListOrganizations calls visit with all organizations, those in the trash included, a page at a time, by id.
func (s Service) ListOrganizations(ctx context.Context, visit func(page []Organization) error) error {
	ids, err := s.Store.Organizations(ctx)
	if err != nil {
		return fmt.Errorf("list organizations: %w", err)
	}
	for chunk := range slices.Chunk(ids, pageSize) {
		page, err := s.readOrganizations(ctx, chunk)
		if err == nil && len(page) > 0 {
			err = visit(page)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readOrganizations returns organizations in one trip. Those that do not exist are left out.
func (s Service) readOrganizations(ctx context.Context, ids []string) ([]Organization, error) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	members, admins := make([]*txn.Reply[int64], len(ids)), make([]*txn.Reply[int64], len(ids))
	usage := make([]*txn.Reply[txn.Usage], len(ids))
	for i, id := range ids {
		records[i], usage[i] = b.Record(store.OrganizationKey(id)), b.Usage(id)
		members[i], admins[i] = b.Cardinality(store.MembersKey(id)), b.Cardinality(store.AdminsKey(id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations: %w", err)
	}
	var found []Organization
	for i, id := range ids {
		r, there, err := records[i].Get()
		if err == nil && !there {
			continue // the registry may name organizations that do not exist
		}
		o := Organization{
			ID: id, State: OrganizationDamaged, Members: members[i].Value(), Admins: admins[i].Value(), Bytes: usage[i].Value().Bytes,
		}
		var d store.OrganizationDocument
		if err == nil && d.Decode(r) == nil {
			o.Title, o.CreatedAt, o.State = d.Fields.Title, d.Fields.CreatedAt, OrganizationActive
			if d.Private.Deletion != nil {
				o.State = OrganizationTrashed
			}
		}
		found = append(found, o)
	}
	return found, nil
}

// ShowOrganization returns the organization with an id or title.
func (s Service) ShowOrganization(ctx context.Context, idOrTitle string) (o OrganizationDetails, err error) {
	id, err := s.accounts().FindOrganization(ctx, idOrTitle)
	if err != nil {
		return o, err
	}
	page, err := s.readOrganizations(ctx, []string{id})
	if err != nil {
		return o, err
	}
	if len(page) == 0 {
		return o, api.InvalidField("org", "there is no organization %q", idOrTitle)
	}
	o.Organization = page[0]
	b := s.Store.NewBatch()
	record, admins := b.Record(store.OrganizationKey(id)), b.Range(store.AdminsKey(id), "", pageSize, false)
	if err := b.Do(ctx); err != nil {
		return o, fmt.Errorf("read %s: %w", id, err)
	}
	d, err := orgs.DecodeOrganization(record)
	if err != nil {
		return o, err
	}
	o.Hostname, o.EmailDomains = d.Fields.Hostname, append([]string{}, d.Fields.EmailDomains...)
	if o.Limits, _, err = s.accounts().OrganizationLimits(ctx, id); err != nil {
		return o, err
	}
	o.AdminUsers, err = s.readMembers(ctx, id, admins.Value())
	return o, err
}

// CreatedOrganization is the result of `wsd org create`.
type CreatedOrganization struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Admin string `json:"admin"`
}

// Lengths of a title in characters, as in api.OrganizationCreate.
const (
	minTitle = 2
	maxTitle = 255
)

// CreateOrganization creates an organization whose admin is the user with an id or e-mail address. It returns a conflict if there
// is one with the title, by which commands name organizations.
func (s Service) CreateOrganization(ctx context.Context, title, admin string) (created CreatedOrganization, err error) {
	if n := utf8.RuneCountInString(title); n < minTitle || n > maxTitle || strings.ContainsFunc(title, unicode.IsControl) {
		return created, api.InvalidField("title", "must be a line of %d to %d characters, not %q", minTitle, maxTitle, title)
	}
	user, err := s.accounts().FindUser(ctx, admin)
	if err != nil {
		return created, err
	}
	u, err := s.readUser(ctx, user)
	switch {
	case err != nil:
		return created, err
	case u.Err != nil:
		return created, fmt.Errorf("user %s: %w", user, u.Err)
	case store.IsServiceAccount(user):
		return created, api.InvalidField("admin", "%s is a service account", user)
	case u.Private.IsDisabled():
		return created, api.InvalidField("admin", "the account of %s is disabled", user)
	}
	created = CreatedOrganization{Title: title, Admin: user}
	created.ID, err = s.accounts().CreateOrganization(ctx, title, u.UserDocument)
	return created, err
}
