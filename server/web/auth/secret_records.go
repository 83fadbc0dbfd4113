package auth

import (
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// secretPlace is a place in the records of one kind whose values depend on a secret of the server.
type secretPlace struct {
	kind    string // of the records, as in their keys
	place   string // in the record
	purpose string // what the values are for
	secret  string // variable of the secret: EncryptionKeyVariable of sealed values, SecretVariable of digests
	record  func() secretRecord
}

// secretPlaces lists all sealed values, and all digests of derived secrets. `wsd secret replace`, `wsd fsck` and `wsd doctor`
// visit the records of these kinds.
var secretPlaces = []secretPlace{
	{"site", "auth.key", "key of a site for its visitors", EncryptionKeyVariable, func() secretRecord { return &siteRecord{} }},
	{"int", "secrets", "secret of an integration", EncryptionKeyVariable, func() secretRecord { return &integrationRecord{} }},
	{"oidc", "clientSecret", "client secret of an OIDC provider", EncryptionKeyVariable, func() secretRecord { return &oidcRecord{} }},
	{"ident", "refresh", "refresh token of an identity", EncryptionKeyVariable, func() secretRecord { return &identityRecord{} }},
	{"link", "digest", "share link", SecretVariable, func() secretRecord { return &shareLinkRecord{} }},
	{"li", "digest", "invite link", SecretVariable, func() secretRecord { return &inviteLinkRecord{} }},
}

// secretRecord is a record of a secretPlace.
type secretRecord interface {
	Decode(r txn.Record) error
	// sealed returns the sealed values of the record.
	sealed() []sealedValue
	// link returns the link that the record is, or nil.
	link() *derivedLink
	// put writes the record.
	put(tx *store.Tx, org string) error
}

// sealedValue is a sealed value of a record.
type sealedValue struct {
	name    string // among those of the record; "" = the only one
	text    string
	purpose []string
	set     func(text string) // replaces the text in the record; "" removes it
}

// derivedLink is a link whose secret is derived from its id.
type derivedLink struct {
	*store.Digests

	id, purpose string // for derive
	author      string // user who made it; "" = not recorded
}

type siteRecord struct{ store.SiteDocument }

func (r *siteRecord) sealed() []sealedValue {
	key := &r.Private.Auth.Key
	if *key == "" {
		return nil
	}
	return []sealedValue{{text: *key, purpose: VisitorKeyPurpose(r.Fields.ID), set: func(text string) { *key = text }}}
}

func (*siteRecord) link() *derivedLink { return nil }

func (r *siteRecord) put(tx *store.Tx, org string) error {
	_, err := tx.PutSite(org, r.SiteDocument)
	return err
}

type integrationRecord struct{ store.IntegrationDocument }

func (r *integrationRecord) sealed() (values []sealedValue) {
	for name, text := range r.Private.Secrets {
		values = append(values, sealedValue{name, text, IntegrationSecretPurpose(r.Fields.Name, name), func(text string) {
			if text == "" {
				delete(r.Private.Secrets, name)
			} else {
				r.Private.Secrets[name] = text
			}
		}})
	}
	return values
}

func (*integrationRecord) link() *derivedLink { return nil }

func (r *integrationRecord) put(tx *store.Tx, _ string) error {
	_, err := tx.PutIntegration(r.IntegrationDocument)
	return err
}

type oidcRecord struct{ store.OIDCProviderDocument }

func (r *oidcRecord) sealed() []sealedValue {
	purpose := ClientSecretPurpose(r.Fields.ID)
	var values []sealedValue
	if secret := &r.Private.ClientSecret; *secret != "" {
		values = append(values, sealedValue{text: *secret, purpose: purpose, set: func(text string) { *secret = text }})
	}
	if tried := r.Private.Tried; tried != nil && tried.ClientSecret != "" {
		set := func(text string) {
			if tried.ClientSecret = text; text == "" { // nobody can sign in by the settings
				r.Private.Tried = nil
			}
		}
		values = append(values, sealedValue{name: "tried", text: tried.ClientSecret, purpose: purpose, set: set})
	}
	return values
}

func (*oidcRecord) link() *derivedLink { return nil }

func (r *oidcRecord) put(tx *store.Tx, org string) error {
	_, err := tx.PutOIDCProvider(org, r.OIDCProviderDocument)
	return err
}

type identityRecord struct{ store.IdentityDocument }

func (r *identityRecord) sealed() []sealedValue {
	refresh := &r.Private.Refresh
	if *refresh == "" {
		return nil
	}
	return []sealedValue{{text: *refresh, purpose: RefreshTokenPurpose(r.Fields.ID), set: func(text string) { *refresh = text }}}
}

func (*identityRecord) link() *derivedLink { return nil }

func (r *identityRecord) put(tx *store.Tx, org string) error {
	_, err := tx.PutIdentity(org, r.IdentityDocument)
	return err
}

type shareLinkRecord struct{ store.ShareLinkDocument }

func (*shareLinkRecord) sealed() []sealedValue { return nil }

func (r *shareLinkRecord) link() *derivedLink {
	return &derivedLink{Digests: &r.Private.Digests, id: r.Fields.ID, purpose: sharePurpose, author: r.Private.CreatedBy}
}

func (r *shareLinkRecord) put(tx *store.Tx, org string) error {
	_, err := tx.PutShareLink(org, r.ShareLinkDocument)
	return err
}

type inviteLinkRecord struct{ store.LinkInviteDocument }

func (*inviteLinkRecord) sealed() []sealedValue { return nil }

func (r *inviteLinkRecord) link() *derivedLink {
	return &derivedLink{Digests: &r.Private.Digests, id: r.Fields.ID, purpose: invitePurpose, author: r.Private.CreatedBy}
}

func (r *inviteLinkRecord) put(tx *store.Tx, org string) error {
	_, err := tx.PutLinkInvite(org, r.LinkInviteDocument)
	return err
}
