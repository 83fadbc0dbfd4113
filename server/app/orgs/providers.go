package orgs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
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
	OIDC *store.OIDCSettings // set for OIDC providers; its client secret is not sealed

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

// LoadProvider reads a provider with the settings that are asked for: TriedSettings, PresentSettings, or those with an identifier. It
// returns a not_found error if there is no such provider, or no such settings any more.
func (l *Logins) LoadProvider(ctx context.Context, org, id, settings string) (p Provider, err error) {
	if !redis.ValidID(org) || !redis.ValidID(id) || !store.IsProvider(id) {
		return p, api.NotFound()
	}
	b := l.Orgs.Store.NewBatch()
	organization, provider := b.Record(store.OrganizationKey(org)), b.Record(providerKey(org, id))
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
	if strings.HasPrefix(id, store.OIDCProviderPrefix) {
		p, err = l.newOIDCProvider(org, r, settings)
	} else {
		p, err = newSAMLProvider(org, r, settings)
	}
	p.Title = o.Fields.Title
	return p, err
}

// newOIDCProvider returns an OIDC provider with the settings that are asked for.
func (l *Logins) newOIDCProvider(org string, r txn.Record, settings string) (p Provider, err error) {
	var d store.OIDCProviderDocument
	if err := d.Decode(r); err != nil {
		return p, err
	}
	f, tried, used := d.Fields, d.Private.Tried, *store.OIDCSettingsOf(d)
	switch isTried, err := choosesTried(settings, tried.ID(), used.ID(), f.Complete()); {
	case err != nil:
		return p, err
	case isTried:
		used = *tried
	}
	id := used.ID()
	if used.ClientSecret, err = l.Orgs.Sealer.Decrypt(used.ClientSecret, auth.ClientSecretPurpose(f.ID)...); err != nil {
		return p, err
	}
	return Provider{
		Organization: org, ID: f.ID, Label: f.Label, Settings: id, IsTried: id == tried.ID(), OIDC: &used, DefaultRole: f.DefaultRole,
		DefaultTeam: d.Private.DefaultTeam, TrustsEmail: used.TrustEmail, Teams: d.Private.Teams,
		Attributes: ProviderAttributes{Team: f.TeamClaim},
	}, nil
}

// choosesTried reports whether the settings that are asked for are those by which an admin has signed in, rather than the present ones.
func choosesTried(settings, tried, present string, isComplete bool) (isTried bool, err error) {
	switch {
	case settings == PresentSettings, settings == present, settings == TriedSettings && tried == "":
	case tried != "" && (settings == TriedSettings || settings == tried):
		return true, nil
	default:
		return false, api.NotFound()
	}
	if !isComplete {
		return false, api.WrongState("This provider is not completely configured.")
	}
	return false, nil
}

// newSAMLProvider returns a SAML provider with the settings that are asked for.
func newSAMLProvider(org string, r txn.Record, settings string) (p Provider, err error) {
	var d store.SAMLProviderDocument
	if err := d.Decode(r); err != nil {
		return p, err
	}
	f, tried, used := d.Fields, d.Private.Tried, store.SAMLSettingsOf(d.Fields)
	switch isTried, err := choosesTried(settings, tried.ID(), used.ID(), f.Complete()); {
	case err != nil:
		return p, err
	case isTried:
		used = tried
	}
	return Provider{
		Organization: org, ID: f.ID, Label: f.Label, Settings: used.ID(), IsTried: used.ID() == tried.ID(), SAML: used,
		DefaultRole: f.DefaultRole, DefaultTeam: d.Private.DefaultTeam, Teams: d.Private.Teams, Attributes: ProviderAttributes{
			Subject: used.SubjectAttribute, Email: used.EmailAttribute, Name: f.NameAttribute, Team: f.TeamAttribute,
		},
	}, nil
}

// activate notes that an admin has signed in by the settings of the provider, which are those for everybody from now on. It returns an
// error if no admin has signed in by them and the member is none, or has just joined by the provider.
func (p Provider) activate(tx *store.Tx, m store.MemberPrivate, joined bool) (activated bool, err error) {
	isAdmin := m.IsActiveAdmin() && !joined
	if p.OIDC != nil {
		d, err := tx.OIDCProvider(p.Organization, p.ID)
		if err != nil || d.Version == 0 {
			return false, rest.NotFoundIfNil(err)
		}
		present := store.OIDCSettingsOf(d)
		if d.Private.Tried.ID() == p.Settings {
			return false, nil
		}
		if err := p.checkActivates(isAdmin, present.ID()); err != nil {
			return false, err
		}
		d.Private.Tried = present
		_, err = tx.PutOIDCProvider(p.Organization, d)
		return true, err
	}
	d, err := tx.SAMLProvider(p.Organization, p.ID)
	if err != nil || d.Version == 0 {
		return false, rest.NotFoundIfNil(err)
	}
	present := store.SAMLSettingsOf(d.Fields)
	if d.Private.Tried.ID() == p.Settings {
		return false, nil
	}
	if err := p.checkActivates(isAdmin, present.ID()); err != nil {
		return false, err
	}
	d.Private.Tried = present
	_, err = tx.PutSAMLProvider(p.Organization, d)
	return true, err
}

// checkActivates returns an error unless an admin signs in, and the settings are still the present ones.
func (p Provider) checkActivates(isAdmin bool, present string) error {
	if present != p.Settings {
		return store.ErrHeadMoved
	}
	if !isAdmin {
		return p.notInUse()
	}
	return nil
}

// notInUse returns the error for somebody who is no admin and signs in by settings by which no admin has signed in.
func (p Provider) notInUse() error {
	return signInRefused("%s is not in use yet: an admin of the organization has to sign in by it first.", p.Label).
		WithHint("If you are one, sign in here with your token or invite first, and then once more by the provider.")
}

// TeamsOf returns the ids of the teams that values of the attribute of teams stand for, without repeats.
func (p Provider) TeamsOf(values []string) (teams []string) {
	for _, t := range p.Teams {
		if slices.Contains(values, t.Value) && !slices.Contains(teams, t.Team) {
			teams = append(teams, t.Team)
		}
	}
	return teams
}

// OrganizationTitle returns the title of an organization, or "" if it does not exist.
func (l *Logins) OrganizationTitle(ctx context.Context, org string) (title string, err error) {
	b := l.Orgs.Store.NewBatch()
	organization := b.Record(store.OrganizationKey(org))
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("read organization %s: %w", org, err)
	}
	o, err := DecodeOrganization(organization)
	return o.Fields.Title, err
}

// StartURL returns the address at which a sign-in by a provider begins.
func (s *Service) StartURL(org, provider string) string {
	if strings.HasPrefix(provider, store.OIDCProviderPrefix) {
		return s.OIDCService(org, provider).StartURL
	}
	return s.SAMLService(org, provider).StartURL
}

// maxDomainOrganizations is the maximum number of organizations of a domain whose providers a page lists.
const maxDomainOrganizations = 10

// OrganizationsOfDomain returns the ids of organizations that have proven an e-mail domain.
func (l *Logins) OrganizationsOfDomain(ctx context.Context, domain string) (ids []string, err error) {
	b := l.Orgs.Store.NewBatch()
	index := b.Range(store.DomainKey(domain), "", api.MaxLimit, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the organizations of a domain: %w", err)
	}
	known := index.Value()
	b = l.Orgs.Store.NewBatch()
	records, entries := make([]*txn.Future[txn.Record], len(known)), make([]*txn.Reply[string], len(known))
	for i, id := range known {
		records[i], entries[i] = b.Record(store.OrganizationKey(id)), b.Field(store.EmailDomainsKey(id), domain)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the organizations of a domain: %w", err)
	}
	for i, id := range known {
		o, err := DecodeOrganization(records[i])
		if err != nil {
			return nil, err
		}
		if store.IsOrganizationGone(o) || len(ids) == maxDomainOrganizations {
			continue
		}
		counts, err := store.DomainCounts(o, domain, entries[i].Value(), l.Orgs.now())
		if err != nil {
			return nil, err
		}
		if counts {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
