package orgs

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Provider is an identity provider of an organization with the settings by which somebody signs in.
type Provider struct {
	Organization, ID string
	Label            string
	Title            string // of the organization
	// Settings identifies the settings that decide who signs in. They are those by which an admin has signed in last, or the present ones
	// if an admin tries them or if there are no others.
	Settings string
	IsTried  bool // an admin has signed in by these settings

	SAML *store.SAMLSettings // set for SAML providers

	DefaultRole *api.Role
	DefaultTeam string
	TrustsEmail bool
	Teams       []api.ProviderTeam
	Attributes  ProviderAttributes
}

// ProviderAttributes are the names of attributes of a provider. "" = the usual ones, and none for teams.
type ProviderAttributes struct{ Subject, Email, Name, Team string }

// Which settings of a provider LoadProvider returns, besides those with an identifier.
const (
	TriedSettings   = "tried"   // by which an admin has signed in last, or the present ones if there are none
	PresentSettings = "present" // which an admin tries
)

// LoadProvider reads a provider with the settings that are asked for: TriedSettings, PresentSettings, or those with an identifier. It returns
// a not_found error if there is no such provider, or no such settings any more.
func (l *Logins) LoadProvider(ctx context.Context, org, id, settings string) (p Provider, err error) {
	if !redis.ValidID(org) || !redis.ValidID(id) || !store.IsProvider(id) {
		return p, api.NotFound()
	}
	b := l.Orgs.Store.NewBatch()
	organization, provider := b.Record(store.OrganizationKey(org)), b.Record(store.SAMLProviderKey(org, id))
	if err := b.Do(ctx); err != nil {
		return p, fmt.Errorf("read provider %s: %w", id, err)
	}
	o, err := DecodeOrganization(organization)
	if err != nil {
		return p, err
	}
	r, there, err := provider.Get()
	if err != nil {
		return p, fmt.Errorf("provider %s: %w", id, err)
	}
	if !there || store.IsOrganizationGone(o) {
		return p, api.NotFound()
	}
	found, err := newSAMLProvider(org, r, settings)
	found.Title = o.Fields.Title
	return found, err
}

// newSAMLProvider returns a SAML provider with the settings that are asked for.
func newSAMLProvider(org string, r txn.Record, settings string) (p Provider, err error) {
	var d store.SAMLProviderDocument
	if err := d.Decode(r); err != nil {
		return p, err
	}
	present := store.SAMLSettingsOf(d.Fields)
	tried := d.Private.Tried
	used := &present
	switch {
	case settings == PresentSettings, settings == present.ID():
	case tried != nil && (settings == TriedSettings || settings == tried.ID()):
		used = tried
	case settings != TriedSettings:
		return p, api.NotFound()
	}
	if used == &present && !d.Fields.Complete() {
		return p, api.WrongState("This provider is not completely configured.")
	}
	f := d.Fields
	return Provider{
		Organization: org, ID: f.ID, Label: f.Label, Settings: used.ID(), IsTried: tried != nil && used.ID() == tried.ID(), SAML: used,
		DefaultRole: f.DefaultRole, DefaultTeam: d.Private.DefaultTeam,
	}, nil
}

// activate notes that an admin has signed in by the settings of the provider, which are those for everybody from now on. It returns an
// error if the member is no admin and no admin has signed in by them.
func (p Provider) activate(tx *store.Tx, m store.MemberPrivate) (changed bool, err error) {
	d, err := tx.SAMLProvider(p.Organization, p.ID)
	if err != nil {
		return false, err
	}
	present, tried := store.SAMLSettingsOf(d.Fields), d.Private.Tried
	switch {
	case d.Version == 0:
		return false, api.NotFound()
	case tried != nil && tried.ID() == p.Settings:
		return false, nil
	case present.ID() != p.Settings:
		return false, store.ErrHeadMoved
	case !m.IsActiveAdmin():
		return false, signInRefused("%s is not in use yet: an admin of the organization has to sign in by it first.", p.Label).
			WithHint("If you are one, sign in here with your token or invite first, and then once more by the provider.")
	}
	d.Private.Tried = &present
	_, err = tx.PutSAMLProvider(p.Organization, d)
	return true, err
}

// IsSAML reports whether the provider is a SAML provider.
func (p Provider) IsSAML() bool { return strings.HasPrefix(p.ID, store.SAMLProviderPrefix) }
