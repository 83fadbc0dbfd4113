package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Accounts creates users, organizations and tokens in the store without authentication, for `wsd init`, `wsd token`
// and the demo. Each method returns the existing object if there is one.
type Accounts struct{ Store *store.Store }

// Account is a user whose e-mail address was verified by the operator of the server.
type Account struct {
	api.UserFields
	Created          bool   // whether this call created the user
	DisplacedAccount string // id of an account that lost the address, which it had from an invite; "" = none
}

// EnsureUser is like EnsureVerifiedUser but returns only the fields of the user.
func (a Accounts) EnsureUser(ctx context.Context, email, displayName string) (user api.UserFields, err error) {
	account, err := a.EnsureVerifiedUser(ctx, email, displayName)
	return account.UserFields, err
}

// EnsureVerifiedUser returns the user with a verified e-mail address and creates one if there is none. An account that has the
// address from an invite only is not trusted, because the inviter may control it, and loses the address. A claim
// whose user does not exist comes from an interrupted run: the user is created with the id in the claim.
func (a Accounts) EnsureVerifiedUser(ctx context.Context, email, displayName string) (account Account, err error) {
	given := email
	email, ok := NormalizeEmail(given)
	if !ok {
		return account, api.InvalidField("user", "must be an e-mail address, not %q", given)
	}
	claim, err := ReadAddressClaim(ctx, a.Store, email)
	if err != nil || claim.IsValid() {
		account.UserFields = claim.Account.Fields
		return account, err
	}
	id := claim.Owner
	if written := claim.Account; written.Version > 0 {
		account.DisplacedAccount = written.Fields.ID
		if err := a.Store.ReleaseInvalidEmail(ctx, written.Fields.ID, email); err != nil {
			return account, fmt.Errorf("give up the claim of %s: %w", written.Fields.ID, err)
		}
	}
	if !claim.claimed || account.DisplacedAccount != "" {
		id = a.Store.NewID(txn.UserPrefix)
	}
	err = a.Store.Update(ctx, store.User(id), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.User(id)
		if account.Created = d.Version == 0; err != nil || !account.Created {
			account.UserFields = d.Fields
			return err
		}
		d.Fields = api.UserFields{Object: "user", ID: id, Email: email, DisplayName: cmp.Or(displayName, email)}
		account.UserFields = d.Fields
		tx.Claim(store.EmailKey(email), id)
		_, err = tx.PutUser(d)
		return err
	})
	if errors.Is(err, txn.ErrExists) && id != claim.Owner { // another process claimed the address first
		return a.EnsureVerifiedUser(ctx, email, displayName)
	}
	return account, err
}

// EnsureOrganization returns the id of the organization with an id or title and creates one with that title if there is
// none, with the user as its first admin. It returns an error if several organizations have the title.
func (a Accounts) EnsureOrganization(ctx context.Context, idOrTitle string, admin api.UserFields) (id string, err error) {
	found, err := a.organizations(ctx, idOrTitle)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", api.InvalidField("org", "%d organizations have the title %q: name one by id (%s)", len(found), idOrTitle,
			strings.Join(found, ", "))
	case strings.HasPrefix(idOrTitle, txn.OrganizationPrefix):
		return "", api.InvalidField("org", "there is no organization %s", idOrTitle)
	}
	return a.newOrganization(ctx, idOrTitle, admin)
}

// newOrganization creates an organization with its first admin and returns its id.
func (a Accounts) newOrganization(ctx context.Context, title string, admin api.UserFields) (id string, err error) {
	id = a.Store.NewID(txn.OrganizationPrefix)
	err = a.Store.Update(ctx, store.Organization(id), txn.UpdateOptions{}, func(tx *store.Tx) error {
		_, err := NewOrganization(tx, id, api.OrganizationCreate{Title: title}, admin)
		return err
	})
	return id, err
}

// CreateOrganization creates an organization whose first admin is a user, and returns its id. It returns an error if there is
// an organization with the title or id.
func (a Accounts) CreateOrganization(ctx context.Context, title string, admin store.UserDocument) (id string, err error) {
	found, err := a.organizations(ctx, title)
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return "", api.WrongState("There is an organization %q: %s.", title, found[0])
	}
	return a.newOrganization(ctx, title, NewMemberFields(admin, ""))
}

// organizationBatch is the number of organizations that FirstOrganization reads in one trip.
const organizationBatch = 100

// FirstOrganization returns the title of an existing organization, or false if there is none. `wsd init` uses it to
// refuse a store that is already initialized. It returns an ErrCorrupt if the record of the organization is damaged.
func (a Accounts) FirstOrganization(ctx context.Context) (title string, found bool, err error) {
	ids, err := a.Store.Organizations(ctx)
	if err != nil {
		return "", false, fmt.Errorf("list organizations: %w", err)
	}
	// read until an organization is found: the registry may name organizations that do not exist
	for some := range slices.Chunk(ids, organizationBatch) {
		b := a.Store.NewBatch()
		records := make([]*txn.Future[txn.Record], len(some))
		for i, id := range some {
			records[i] = b.Record(store.OrganizationKey(id))
		}
		if err := b.Do(ctx); err != nil {
			return "", false, fmt.Errorf("read organizations: %w", err)
		}
		for i, record := range records {
			r, there, err := record.Get()
			if err == nil && !there {
				continue
			}
			var d store.OrganizationDocument
			if err == nil {
				err = d.Decode(r)
			}
			if err != nil { // the organization exists
				return "", true, fmt.Errorf("organization %s: %w", some[i], err)
			}
			return d.Fields.Title, true, nil
		}
	}
	return "", false, nil
}

// organizations returns the ids of the organizations with an id or title.
func (a Accounts) organizations(ctx context.Context, idOrTitle string) ([]string, error) {
	ids, err := a.Store.Organizations(ctx)
	if err != nil {
		return nil, fmt.Errorf("list organizations: %w", err)
	}
	if slices.Contains(ids, idOrTitle) {
		ids = []string{idOrTitle}
	}
	b := a.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		records[i] = b.Record(store.OrganizationKey(id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations: %w", err)
	}
	var found []string
	for i, id := range ids {
		r, ok, err := records[i].Get()
		if err != nil {
			return nil, err
		}
		var d store.OrganizationDocument
		if !ok || d.Decode(r) != nil || id != idOrTitle && d.Fields.Title != idOrTitle {
			continue
		}
		switch {
		case d.Private.Deletion == nil:
			found = append(found, id)
		case id == idOrTitle:
			return nil, api.InvalidField("org", "%s is in the trash", id).WithHint("wsd trash restore %s", id)
		}
	}
	return found, nil
}

// SetMember makes a user a member of an organization with a role, or changes the role of a member; "" is a guest.
func (a Accounts) SetMember(ctx context.Context, org string, user api.UserFields, role api.Role) error {
	return a.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		_, err := NewMember(tx, org, user, role)
		return err
	})
}

// CreateToken creates a token for a user and returns its id and its secret text, which is not stored.
func (a Accounts) CreateToken(ctx context.Context, user string, o TokenOptions) (id, text string, err error) {
	if o.Scopes == nil {
		o.Scopes = []api.Scope{api.ScopeAdmin}
	}
	if o.BoundSince, err = boundTokenStart(ctx, a.Store, user, o.Organization); err != nil {
		return "", "", err
	}
	if err := a.addCommandEvents(ctx, user, o.Organization); err != nil {
		return "", "", err
	}
	err = a.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		_, text, err = NewToken(tx, user, o)
		return err
	})
	return tokenIDOf(text), text, err
}
