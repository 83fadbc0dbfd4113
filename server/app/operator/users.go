package operator

import (
	"context"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Service reads and changes accounts for the operator.
type Service struct {
	Store       *store.Store
	TokenMaxAge time.Duration // maximum age of tokens of people, for the ends of tokens; 0 = none
}

// pageSize is the number of members that are read at once.
const pageSize = 500

// AddressState describes what is known about the e-mail address of an account.
type AddressState string

// States of an e-mail address.
const (
	AddressVerified   AddressState = "verified"
	AddressUnverified AddressState = "unverified" // written by an organization into an invite
)

// AccountState describes whether an account can be used.
type AccountState string

// States of an account.
const (
	AccountActive   AccountState = "active"
	AccountDisabled AccountState = "disabled"
	AccountEnded    AccountState = "ended"
	AccountDamaged  AccountState = "damaged" // its record cannot be read; see `wsd fsck`
)

// User is an account as listed by `wsd user list`.
type User struct {
	ID           string       `json:"id"`
	DisplayName  string       `json:"displayName"`
	Email        string       `json:"email,omitzero"`
	AddressState AddressState `json:"emailState,omitzero"`
	State        AccountState `json:"state"`
	DisabledAt   api.Time     `json:"disabledAt,omitzero"`
	EndedAt      api.Time     `json:"endedAt,omitzero"`
	Tokens       int64        `json:"tokens"`

	Membership *Membership `json:"membership,omitempty"` // in the organization whose members are listed
}

// newUser returns the listed form of an account, without the number of its tokens.
func newUser(u store.WalkedUser) User {
	if u.Err != nil {
		return User{ID: u.ID, State: AccountDamaged}
	}
	listed := User{
		ID: u.ID, DisplayName: u.Fields.DisplayName, Email: u.Fields.Email, State: AccountActive,
		DisabledAt: u.Private.DisabledAt, EndedAt: u.Private.EndedAt,
	}
	switch {
	case !listed.EndedAt.IsZero():
		listed.State = AccountEnded
	case !listed.DisabledAt.IsZero():
		listed.State = AccountDisabled
	}
	switch {
	case u.Fields.Email == "":
	case u.Private.HasVerifiedEmail():
		listed.AddressState = AddressVerified
	default:
		listed.AddressState = AddressUnverified
	}
	return listed
}

// ListUsers calls visit with all accounts, a page at a time, in no particular order.
func (s Service) ListUsers(ctx context.Context, visit func(page []User) error) error {
	return s.Store.WalkUsers(ctx, func(page []store.WalkedUser) error {
		users := make([]User, len(page))
		for i, u := range page {
			users[i] = newUser(u)
		}
		if err := s.countTokens(ctx, users); err != nil {
			return err
		}
		return visit(users)
	})
}

// countTokens sets the numbers of tokens of users in one trip.
func (s Service) countTokens(ctx context.Context, users []User) error {
	b := s.Store.NewBatch()
	counts := make([]*txn.Reply[int64], len(users))
	for i, u := range users {
		counts[i] = b.Cardinality(store.TokensKey(u.ID))
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("count tokens: %w", err)
	}
	for i := range users {
		users[i].Tokens = counts[i].Value()
	}
	return nil
}

// ListMembers calls visit with the members of the organization with an id or title, a page at a time, by id. Service accounts are the last.
func (s Service) ListMembers(ctx context.Context, idOrTitle string, visit func(page []User) error) error {
	org, err := s.accounts().FindOrganization(ctx, idOrTitle)
	if err != nil {
		return err
	}
	for _, index := range []redis.Key{store.MembersKey(org), store.ServiceAccountsKey(org)} {
		if err := s.listIndexed(ctx, org, index, visit); err != nil {
			return err
		}
	}
	return nil
}

// listIndexed calls visit with the members of an organization that are in an index.
func (s Service) listIndexed(ctx context.Context, org string, key redis.Key, visit func(page []User) error) error {
	for after := ""; ; {
		b := s.Store.NewBatch()
		index := b.Range(key, after, pageSize, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read members of %s: %w", org, err)
		}
		ids := index.Value()
		page, err := s.readMembers(ctx, org, ids)
		if err == nil && len(page) > 0 {
			err = visit(page)
		}
		if err != nil || len(ids) < pageSize {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// readMembers returns members of an organization. Those who left meanwhile are left out.
func (s Service) readMembers(ctx context.Context, org string, ids []string) ([]User, error) {
	users, err := s.readUsers(ctx, ids)
	if err != nil {
		return nil, err
	}
	refs := make([]membershipRef, len(ids))
	for i, id := range ids {
		refs[i] = membershipRef{org, id}
	}
	memberships, err := s.readMemberships(ctx, refs)
	if err != nil {
		return nil, err
	}
	var members []User
	for i, u := range users {
		if u.Membership = memberships[i]; u.Membership != nil {
			members = append(members, u)
		}
	}
	return members, s.countTokens(ctx, members)
}

// readUsers returns accounts in the order of their ids. A missing account has only its id.
func (s Service) readUsers(ctx context.Context, ids []string) ([]User, error) {
	b := s.Store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		records[i] = b.Record(store.UserKey(id))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read users: %w", err)
	}
	users := make([]User, len(ids))
	for i, id := range ids {
		r, there, err := records[i].Get()
		u := store.WalkedUser{ID: id, Err: err}
		if there {
			u.Err = u.Decode(r)
		}
		users[i] = newUser(u)
	}
	return users, nil
}

func (s Service) accounts() orgs.Accounts { return orgs.Accounts{Store: s.Store} }

// UserDetails is an account as shown by `wsd user show`.
type UserDetails struct {
	User
	AddressFrom   string       `json:"emailFrom,omitzero"` // organization that wrote the unverified address
	Organizations []Membership `json:"organizations"`
	Identities    []Identity   `json:"identities"` // of identity providers, by which the user signs in
	TokenList     []Token      `json:"tokenList"`
	Made          []MadeThings `json:"made"` // what works without the account
}

// ShowUser returns the account with an id or e-mail address.
func (s Service) ShowUser(ctx context.Context, idOrEmail string) (d UserDetails, err error) {
	id, err := s.accounts().FindUser(ctx, idOrEmail)
	if err != nil {
		return d, err
	}
	u, err := s.readUser(ctx, id)
	if err != nil {
		return d, err
	}
	d.User = newUser(u)
	if d.AddressState == AddressUnverified {
		d.AddressFrom = u.Private.VouchedBy
	}
	memberships, err := s.organizationsOf(ctx, id)
	if err != nil {
		return d, err
	}
	d.Organizations, d.TokenList = append([]Membership{}, memberships...), []Token{}
	if d.Identities, err = s.identitiesOf(ctx, id, memberships); err != nil {
		return d, err
	}
	if d.State == AccountEnded {
		d.Made, err = s.madeByFormer(ctx, id)
	} else {
		d.Made, err = s.madeBy(ctx, id, memberships)
	}
	if err != nil {
		return d, err
	}
	err = s.ListTokens(ctx, TokenFilter{User: id}, func(page []Token) error {
		d.TokenList = append(d.TokenList, page...)
		return nil
	})
	d.Tokens = int64(len(d.TokenList))
	return d, err
}

// readUser reads an account. A missing one has version 0.
func (s Service) readUser(ctx context.Context, id string) (store.WalkedUser, error) {
	b := s.Store.NewBatch()
	record := b.Record(store.UserKey(id))
	if err := b.Do(ctx); err != nil {
		return store.WalkedUser{}, fmt.Errorf("read user: %w", err)
	}
	r, there, err := record.Get()
	u := store.WalkedUser{ID: id, Err: err}
	if there && err == nil {
		u.Err = u.Decode(r)
	}
	return u, nil
}
