package orgs

import (
	"context"
	"fmt"
	"net/mail"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// An e-mail address that was only written into an invite is unverified: it is shown in the inviting organization and
// nowhere else, is not unique, and does not admit its user to organizations by domain. An address is verified if the
// operator of the server vouched for it, or if it was invited by the organization that has proven its domain.

// VerifiedEmailDomain returns the domain of an account's e-mail address. ok is false if the address is not verified.
func VerifiedEmailDomain(u store.UserDocument) (domain string, ok bool) {
	_, domain, ok = strings.Cut(u.Fields.Email, "@")
	return domain, ok && u.Private.HasVerifiedEmail()
}

// NewMemberFields returns the fields of an account as a new member of an organization. They omit an unverified address that
// another organization wrote.
func NewMemberFields(u store.UserDocument, org string) api.UserFields {
	f := u.Fields
	if !u.Private.HasVerifiedEmail() && u.Private.VouchedBy != org {
		f.Email = ""
	}
	return f
}

// memberFields returns the fields of an account for an existing member, whose unverified address is that of the
// organization. Those of a service account are the fields of its membership.
func memberFields(u store.UserDocument, m store.MemberDocument) api.UserFields {
	if m.Private.IsService() {
		return m.Private.User
	}
	f := u.Fields
	if !u.Private.HasVerifiedEmail() {
		f.Email = m.Private.User.Email
	}
	return f
}

// AddressClaim is the claim of an e-mail address, which is unique in the store, and the account that owns it.
type AddressClaim struct {
	txn.Claim
	claimed bool // whether a claim exists, valid or not
	email   string
	Account store.UserDocument // owner; Version is 0 if it does not exist yet
}

// IsValid reports whether the claim is valid: its owner exists and has the address, verified. Others may be released; they
// were made for invited users by earlier versions.
func (a AddressClaim) IsValid() bool {
	return a.claimed && store.HasEmail(a.Account, a.email)
}

// ReadAddressClaim reads the claim of an e-mail address and the account of its owner.
func ReadAddressClaim(ctx context.Context, s *store.Store, email string) (a AddressClaim, err error) {
	a.email = email
	a.Claim, a.claimed, err = s.Claim(ctx, store.EmailKey(email))
	if err != nil {
		return a, fmt.Errorf("look up %s: %w", email, err)
	}
	if !a.claimed {
		return a, nil
	}
	b := s.NewBatch()
	user := b.Record(store.UserKey(a.Owner))
	if err := b.Do(ctx); err != nil {
		return a, fmt.Errorf("read user: %w", err)
	}
	record, ok, err := user.Get()
	if ok && err == nil {
		err = a.Account.Decode(record)
	}
	return a, err
}

// AdmitsDomain reports whether users with a verified address of a domain may join organization o, which tx has read.
func AdmitsDomain(tx *store.Tx, o store.OrganizationDocument, domain string) (bool, error) {
	if domain == "" {
		return false, nil
	}
	field, _, err := tx.Field(store.EmailDomainsKey(o.Fields.ID), domain)
	if err != nil {
		return false, err
	}
	return store.DomainCounts(o, domain, field, tx.Now())
}

// EmailAddressDomain returns the domain of an e-mail address.
func EmailAddressDomain(email string) string {
	_, domain, _ := strings.Cut(email, "@")
	return domain
}

// NormalizeEmail returns an e-mail address in the form in which it is claimed. ok is false if text is not an address.
func NormalizeEmail(text string) (email string, ok bool) {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name != "" {
		return "", false
	}
	return strings.ToLower(address.Address), true
}
