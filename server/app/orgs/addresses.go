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

// An e-mail address that somebody wrote into an invite is no proof of anything. It is shown in the organization that
// wrote it, which knows whom it meant, and nowhere else; it is nobody's for all of wsd, opens nothing to its domain and
// keeps nobody out. What was vouched for by whoever runs the server is known everywhere, and is one account's alone. So is
// what an organization wrote whose own the domain was: the owner of a domain says who has its addresses.

// IsVouched reports whether the address of an account is proven for everybody.
func IsVouched(u store.UserDocument) bool { return u.Private.VouchedBy == "" || u.Private.Proven }

// VouchedDomain returns the domain of an account's e-mail address, if that is proven for everybody.
func VouchedDomain(u store.UserDocument) (domain string, ok bool) {
	_, domain, ok = strings.Cut(u.Fields.Email, "@")
	return domain, ok && IsVouched(u)
}

// KnownAs is an account as it comes into an organization: an address that another one wrote stays there.
func KnownAs(u store.UserDocument, org string) api.UserFields {
	f := u.Fields
	if !IsVouched(u) && u.Private.VouchedBy != org {
		f.Email = ""
	}
	return f
}

// nowKnownAs is knownAs for a member, whose address is the one that the organization has of them.
func nowKnownAs(u store.UserDocument, m store.MemberDocument) api.UserFields {
	f := u.Fields
	if !IsVouched(u) {
		f.Email = m.Private.User.Email
	}
	return f
}

// AddressClaim is who has an e-mail address for all of wsd.
type AddressClaim struct {
	txn.Claim
	held    bool               // somebody claims it, with right or not
	Account store.UserDocument // who claims it; not stored if the account is yet to come
}

// Good reports whether the address is its owner's. Claims that were made for whoever an invite named are not: they are
// no claims any more, and may be given up.
func (a AddressClaim) Good() bool { return a.held && a.Account.Version > 0 && IsVouched(a.Account) }

// ClaimOf reads who claims an e-mail address.
func ClaimOf(ctx context.Context, s *store.Store, email string) (a AddressClaim, err error) {
	a.Claim, a.held, err = s.Claim(ctx, store.EmailKey(email))
	if err != nil {
		return a, fmt.Errorf("look up %s: %w", email, err)
	}
	if !a.held {
		return a, nil
	}
	b := s.Pipeline()
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

// LetsIn reports whether an address of a domain lets people into an organization that was read.
func LetsIn(tx *store.Tx, o store.OrganizationDocument, domain string) (bool, error) {
	if domain == "" {
		return false, nil
	}
	field, _, err := tx.Field(store.EmailDomainsKey(o.Fields.ID), domain)
	if err != nil {
		return false, err
	}
	return store.DomainCounts(o, domain, field, tx.Now())
}

// DomainOf is the domain of an e-mail address.
func DomainOf(email string) string {
	_, domain, _ := strings.Cut(email, "@")
	return domain
}

// NormalEmail is an e-mail address as it is claimed.
func NormalEmail(text string) (email string, ok bool) {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name != "" {
		return "", false
	}
	return strings.ToLower(address.Address), true
}
