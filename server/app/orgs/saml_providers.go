package orgs

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) samlProviderEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListSAMLProviders, auth.InOrganization(api.RoleAdmin), s.listSAMLProviders),
		rest.Write(api.CreateSAMLProvider, auth.InOrganization(api.RoleAdmin), s.createSAMLProvider).On(rest.Organization),
		rest.Read(api.GetSAMLProvider, auth.InOrganization(api.RoleAdmin), s.getSAMLProvider),
		rest.Write(api.UpdateSAMLProvider, auth.InOrganization(api.RoleAdmin), s.updateSAMLProvider).On(rest.SAMLProvider),
		rest.Write(api.DeleteSAMLProvider, auth.InOrganization(api.RoleAdmin),
			s.deleteSAMLProvider).On(rest.SAMLProvider).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Read(api.ListSAMLProviderLogins, auth.Public(), s.listProviderLogins),
	}
}

// maxSAMLProviders is the maximum number of providers of an organization; the list of logins is not paginated.
const maxSAMLProviders = 20

func (s *Service) samlProviderURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/saml/" + id
}

// SAMLService returns the service provider URLs to enter at an identity provider. The entity id is the prefix of the
// others.
func (s *Service) SAMLService(org, id string) api.SAMLService {
	base := s.PublicURL + "/saml/" + org + "/" + id
	return api.SAMLService{ACSURL: base + "/acs", StartURL: base + "/start", EntityID: base}
}

// encodeSAMLProvider returns the JSON of a SAML provider. Teams that were deleted are left out.
func (s *Service) encodeSAMLProvider(c *rest.Call, id string, r txn.Record) ([]byte, error) {
	var d store.SAMLProviderDocument
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	d.Fields.Status = samlStatus(d)
	o := rest.ObjectOf(d.Fields).
		SetIf(d.Private.Tried != nil && d.Private.Tried.ID() != store.SAMLSettingsOf(d.Fields).ID(), "untried", true)
	if text := d.Fields.Certificate; text != "" {
		certificates, err := ParseCertificates(string(text))
		if err != nil {
			return nil, fmt.Errorf("SAML provider %s: the certificate %w", id, err)
		}
		o.Set("certificateFingerprint", fingerprint(certificates[0])).Set("certificateExpiresAt", api.At(certificates[0].NotAfter))
	}
	teams := existingProviderTeams(c, d.Private.Teams)
	o.SetIf(len(teams) > 0, "teams", teams)
	if err := s.setDefaultTeam(c, o, d.Private.DefaultTeam); err != nil {
		return nil, err
	}
	return o.Set("service", s.SAMLService(c.Org, id)).
		Set("urls", api.LocationURLs{Location: s.samlProviderURL(c.Org, id)}).Bytes()
}

// samlStatus returns the status of a provider, which is active when an admin has signed in by it.
func samlStatus(d store.SAMLProviderDocument) api.SAMLStatus {
	if d.Private.Tried != nil {
		return api.SAMLActive
	}
	return api.SAMLPending
}

func (s *Service) samlProviderResult(c *rest.Call, id string, r txn.Record) (rest.Result[api.SAMLProvider], error) {
	data, err := s.encodeSAMLProvider(c, id, r)
	return rest.Result[api.SAMLProvider]{JSON: data, ID: id, Version: rest.RecordVersion(r)}, err
}

func (s *Service) listSAMLProviders(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListSAMLProvidersInput,
) rest.Finish[api.Page[api.SAMLProvider]] {
	return rest.ListIndexed[api.SAMLProvider](r, b, in.ListOptions, rest.IndexedList{
		Index:  store.SAMLProvidersKey(in.Organization),
		Key:    func(id string) redis.Key { return store.SAMLProviderKey(in.Organization, id) },
		Encode: func(c *rest.Call, id string, r txn.Record) ([]byte, error) { return s.encodeSAMLProvider(c, id, r) },
	})
}

func (s *Service) getSAMLProvider(_ context.Context, r *rest.Request, b *txn.Batch, in api.SAMLProviderRef) rest.Finish[api.SAMLProvider] {
	provider := b.Record(store.SAMLProviderKey(in.Organization, in.SAMLProvider))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.SAMLProvider], error) {
		record, ok, err := provider.Get()
		if err != nil || !ok {
			return rest.Result[api.SAMLProvider]{}, rest.NotFoundIfNil(err)
		}
		return s.samlProviderResult(c, in.SAMLProvider, record)
	}
}

func (s *Service) createSAMLProvider(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateSAMLProviderInput,
) (none rest.Result[api.SAMLProvider], err error) {
	count, err := tx.Cardinality(store.SAMLProvidersKey(c.Org))
	if err != nil {
		return none, err
	}
	if count >= maxSAMLProviders {
		return none, api.WrongState("An organization has at most %d SAML providers.", maxSAMLProviders)
	}
	id := tx.NewID(store.SAMLProviderPrefix)
	d, err := tx.SAMLProvider(c.Org, id)
	if err != nil {
		return none, err
	}
	d.Fields = api.SAMLProviderFields{Object: "saml-provider", ID: id, Label: in.Body.Label, CreatedAt: api.At(tx.Now())}
	if _, err := configureSAML(c, tx, &d, in.Body.SAMLProviderSettings); err != nil {
		return none, err
	}
	record, err := tx.PutSAMLProvider(c.Org, d)
	if err != nil {
		return none, err
	}
	result, err := s.samlProviderResult(c, id, record)
	return result.WithLocation(id, s.samlProviderURL(c.Org, id)), err
}

func (s *Service) updateSAMLProvider(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateSAMLProviderInput,
) (none rest.Result[api.SAMLProvider], err error) {
	d, err := tx.SAMLProvider(c.Org, in.SAMLProvider)
	if err != nil || d.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	before := d.Private
	changed, err := configureSAML(c, tx, &d, in.Body.SAMLProviderSettings)
	if err != nil {
		return none, err
	}
	noteProviderTeams(c, before.DefaultTeam, d.Private.DefaultTeam, before.Teams, d.Private.Teams)
	changed = in.Body.Label.Apply(&d.Fields.Label) || changed
	return rest.PutIfChanged(tx, store.SAMLProviderKey(c.Org, in.SAMLProvider), changed,
		func() (txn.Record, error) { return tx.PutSAMLProvider(c.Org, d) },
		func(r txn.Record) (rest.Result[api.SAMLProvider], error) {
			return s.samlProviderResult(c, in.SAMLProvider, r)
		})
}

// configureSAML validates and applies settings. It reports whether the provider changed.
func configureSAML(c *rest.Call, tx *store.Tx, d *store.SAMLProviderDocument, in api.SAMLProviderSettings) (changed bool, err error) {
	wrong, err := checkProviderTeams(tx, c.Org, in.DefaultTeam, in.Teams)
	if err != nil {
		return false, err
	}
	if text, ok := in.Certificate.Get(); ok && text != "" {
		if err := checkCertificates(string(text), tx.Now()); err != nil {
			wrong = append(wrong, api.FieldError{Path: "certificate", Message: err.Error()})
		}
	}
	if len(wrong) > 0 {
		return false, api.Invalid(wrong...)
	}
	for _, applied := range []bool{
		in.EntityID.Apply(&d.Fields.EntityID), in.Certificate.Apply(&d.Fields.Certificate), in.SSOURL.Apply(&d.Fields.SSOURL),
		in.DefaultTeam.Apply(&d.Private.DefaultTeam), ApplyPointer(in.DefaultRole, &d.Fields.DefaultRole),
		in.SubjectAttribute.Apply(&d.Fields.SubjectAttribute), in.EmailAttribute.Apply(&d.Fields.EmailAttribute),
		in.NameAttribute.Apply(&d.Fields.NameAttribute), in.TeamAttribute.Apply(&d.Fields.TeamAttribute),
		applyTeams(in.Teams, &d.Private.Teams),
	} {
		changed = changed || applied
	}
	if !d.Fields.Complete() {
		d.Private.Tried = nil
		err = checkProviderRemains(c, tx, d.Fields.ID, false)
	}
	return changed, err
}

func (s *Service) deleteSAMLProvider(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SAMLProviderRef) (rest.Result[api.None],
	error,
) {
	d, err := tx.SAMLProvider(in.Organization, in.SAMLProvider)
	if err != nil || d.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	if err := checkProviderRemains(c, tx, in.SAMLProvider, true); err != nil {
		return rest.Result[api.None]{}, err
	}
	tx.DeleteSAMLProvider(in.Organization, in.SAMLProvider)
	return rest.None(in.SAMLProvider), nil
}
