package server

import (
	"context"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func (s *Server) samlProviderEndpoints() []Endpoint {
	return []Endpoint{
		read(api.ListSAMLProviders, auth.InOrganization(api.RoleAdmin), s.listSAMLProviders),
		write(api.CreateSAMLProvider, auth.InOrganization(api.RoleAdmin), s.createSAMLProvider),
		read(api.GetSAMLProvider, auth.InOrganization(api.RoleAdmin), s.getSAMLProvider),
		write(api.UpdateSAMLProvider, auth.InOrganization(api.RoleAdmin), s.updateSAMLProvider),
		write(api.DeleteSAMLProvider, auth.InOrganization(api.RoleAdmin), s.deleteSAMLProvider),
		read(api.ListSAMLProviderLogins, auth.Public(), s.listSAMLProviderLogins),
	}
}

// maxSAMLProviders bounds the list of where to sign in, which has no pages.
const maxSAMLProviders = 20

func (s *Server) samlProviderURL(org, id string) string {
	return s.publicURL + "/v1/orgs/" + org + "/saml/" + id
}

// samlService are the addresses that a provider has to know. Its entity id is the address that the others begin with.
func (s *Server) samlService(org, id string) api.SAMLService {
	base := s.publicURL + "/saml/" + org + "/" + id
	return api.SAMLService{ACSURL: base + "/acs", StartURL: base + "/start", EntityID: base}
}

// samlProvider writes out a SAML provider. A default team that is deleted is none.
func (s *Server) samlProvider(c *call, id string, r store.Record) ([]byte, error) {
	var d store.SAMLProviderDocument
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	o := extend(r.Public)
	if text := d.Fields.Certificate; text != "" {
		certificate, err := parseCertificate(string(text))
		if err != nil {
			return nil, fmt.Errorf("SAML provider %s: the certificate %w", id, err)
		}
		o.set("certificateFingerprint", fingerprint(certificate)).set("certificateExpiresAt", api.At(certificate.NotAfter))
	}
	var err error
	c.withShape(func(sh *access.Model) {
		if t := sh.Team(d.Private.DefaultTeam); t != nil {
			var team []byte
			team, err = s.teamObject(sh, c.caller, t.TeamFields, len(sh.Roster(t.ID)))
			o.set("defaultTeam", json.RawMessage(team))
		}
	})
	if err != nil {
		return nil, err
	}
	return o.set("service", s.samlService(c.org, id)).
		set("urls", api.LocationURLs{Location: s.samlProviderURL(c.org, id)}).bytes()
}

func (s *Server) samlProviderResult(c *call, id string, r store.Record) (Result[api.SAMLProvider], error) {
	data, err := s.samlProvider(c, id, r)
	return Result[api.SAMLProvider]{json: data, id: id, version: recordVersion(r)}, err
}

func (s *Server) listSAMLProviders(ctx context.Context, c *call, b *store.Batch, in api.ListSAMLProvidersInput) finish[api.Page[api.SAMLProvider]] {
	return listIndexed[api.SAMLProvider](ctx, c, s, b, in.ListOptions, indexed{
		index: store.SAMLProvidersKey(in.Organization),
		key:   func(id string) redis.Key { return store.SAMLProviderKey(in.Organization, id) },
		write: func(id string, r store.Record) ([]byte, error) { return s.samlProvider(c, id, r) },
	})
}

func (s *Server) samlRecords(ctx context.Context, org string, ids []string) (map[string]store.Record, error) {
	return s.records(ctx, ids, func(id string) redis.Key { return store.SAMLProviderKey(org, id) })
}

// listSAMLProviderLogins says where to sign in, to everybody: it is what a login page needs, and nothing more.
func (s *Server) listSAMLProviderLogins(_ context.Context, _ *call, b *store.Batch, in api.OrganizationRef) finish[api.SSOLogins] {
	organization := b.Record(store.OrganizationKey(in.Organization))
	active := b.Range(store.ActiveSAMLProvidersKey(in.Organization), "", maxSAMLProviders, false)
	return func(ctx context.Context) (Result[api.SSOLogins], error) {
		var none Result[api.SSOLogins]
		record, ok, err := organization.Get()
		if err != nil || !ok {
			return none, missing(err)
		}
		ids, _, _ := active.Get()
		records, err := s.samlRecords(ctx, in.Organization, ids)
		if err != nil {
			return none, err
		}
		logins := api.SSOLogins{Items: []api.SSOLogin{}}
		for _, id := range ids {
			r, ok := records[id]
			if !ok {
				continue
			}
			var d store.SAMLProviderDocument
			if err := d.Decode(r); err != nil {
				return none, err
			}
			start := s.samlService(in.Organization, id).StartURL
			logins.Items = append(logins.Items, api.SSOLogin{ID: id, Label: d.Fields.Label, StartURL: start})
		}
		result, err := value(logins)
		return result.versioned(recordVersion(record)), err
	}
}

func (s *Server) getSAMLProvider(_ context.Context, c *call, b *store.Batch, in api.SAMLProviderRef) finish[api.SAMLProvider] {
	provider := b.Record(store.SAMLProviderKey(in.Organization, in.SAMLProvider))
	return func(ctx context.Context) (Result[api.SAMLProvider], error) {
		record, ok, err := provider.Get()
		if err != nil || !ok {
			return Result[api.SAMLProvider]{}, missing(err)
		}
		return s.samlProviderResult(c, in.SAMLProvider, record)
	}
}

func (s *Server) createSAMLProvider(ctx context.Context, c *call, tx *store.Tx, in api.CreateSAMLProviderInput) (Result[api.SAMLProvider], error) {
	var none Result[api.SAMLProvider]
	count, err := tx.Card(store.SAMLProvidersKey(c.org))
	if err != nil {
		return none, err
	}
	if count >= maxSAMLProviders {
		return none, api.WrongState("An organization has at most %d SAML providers.", maxSAMLProviders)
	}
	id := tx.NewID(store.SAMLProviderPrefix)
	d, err := tx.SAMLProvider(c.org, id)
	if err != nil {
		return none, err
	}
	d.Fields = api.SAMLProviderFields{Object: "saml-provider", ID: id, Label: in.Body.Label, CreatedAt: api.At(tx.Now())}
	if _, err := configureSAML(c, tx, &d, in.Body.SAMLProviderSettings); err != nil {
		return none, err
	}
	record, err := tx.PutSAMLProvider(c.org, d)
	if err != nil {
		return none, err
	}
	result, err := s.samlProviderResult(c, id, record)
	return result.created(id, s.samlProviderURL(c.org, id)), err
}

func (s *Server) updateSAMLProvider(ctx context.Context, c *call, tx *store.Tx, in api.UpdateSAMLProviderInput) (Result[api.SAMLProvider], error) {
	var none Result[api.SAMLProvider]
	d, err := tx.SAMLProvider(c.org, in.SAMLProvider)
	if err != nil || d.Version == 0 {
		return none, missing(err)
	}
	changed, err := configureSAML(c, tx, &d, in.Body.SAMLProviderSettings)
	if err != nil {
		return none, err
	}
	if !d.Fields.Complete() {
		if err := keepSSO(tx, c.org, d); err != nil {
			return none, err
		}
	}
	changed = in.Body.Label.Apply(&d.Fields.Label) || changed
	return rewritten(tx, store.SAMLProviderKey(c.org, in.SAMLProvider), changed,
		func() (store.Record, error) { return tx.PutSAMLProvider(c.org, d) },
		func(r store.Record) (Result[api.SAMLProvider], error) {
			return s.samlProviderResult(c, in.SAMLProvider, r)
		})
}

// needSSO refuses what takes single sign-on while no provider is active. That there is one is in the read set.
func needSSO(tx *store.Tx, org string) error {
	active, err := tx.Card(store.ActiveSAMLProvidersKey(org))
	if err != nil || active > 0 {
		return err
	}
	return api.WrongState("Single sign-on takes an active SAML provider, and there is none.")
}

// keepSSO refuses that the last active provider goes while everybody has to sign in by one.
func keepSSO(tx *store.Tx, org string, d store.SAMLProviderDocument) error {
	if d.Fields.Status != api.SAMLActive {
		return nil
	}
	active, err := tx.Card(store.ActiveSAMLProvidersKey(org))
	if err != nil || active > 1 {
		return err
	}
	o, err := tx.Organization(org)
	if err != nil || !o.Fields.SSO {
		return err
	}
	return api.WrongState("This is the last active SAML provider, and the organization takes single sign-on of everybody.").
		WithHint("Turn sso off in the organization first.")
}

// configureSAML checks settings and applies them.
func configureSAML(c *call, tx *store.Tx, d *store.SAMLProviderDocument, in api.SAMLProviderSettings) (changed bool, err error) {
	var wrong []api.FieldError
	if text, ok := in.Certificate.Get(); ok && text != "" {
		if err := checkCertificate(string(text), tx.Now()); err != nil {
			wrong = append(wrong, api.FieldError{Path: "certificate", Message: err.Error()})
		}
	}
	if team, ok := in.DefaultTeam.Get(); ok && team != "" {
		t, err := tx.Team(c.org, team)
		if err != nil {
			return false, err
		}
		if t.Version == 0 {
			wrong = append(wrong, api.FieldError{Path: "defaultTeam", Message: "is not a team of the organization"})
		}
	}
	if len(wrong) > 0 {
		return false, api.Invalid(wrong...)
	}
	for _, applied := range []bool{
		in.EntityID.Apply(&d.Fields.EntityID), in.Certificate.Apply(&d.Fields.Certificate), in.SSOURL.Apply(&d.Fields.SSOURL),
		in.DefaultTeam.Apply(&d.Private.DefaultTeam), applyPointer(in.DefaultRole, &d.Fields.DefaultRole),
	} {
		changed = changed || applied
	}
	return changed, nil
}

func (s *Server) deleteSAMLProvider(ctx context.Context, _ *call, tx *store.Tx, in api.SAMLProviderRef) (Result[api.None], error) {
	d, err := tx.SAMLProvider(in.Organization, in.SAMLProvider)
	if err != nil || d.Version == 0 {
		return Result[api.None]{}, missing(err)
	}
	if err := keepSSO(tx, in.Organization, d); err != nil {
		return Result[api.None]{}, err
	}
	tx.DeleteSAMLProvider(in.Organization, in.SAMLProvider)
	return none(in.SAMLProvider), nil
}
