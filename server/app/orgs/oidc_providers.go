package orgs

import (
	"context"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) oidcProviderEndpoints() []rest.Endpoint {
	admin := auth.InOrganization(api.RoleAdmin)
	return []rest.Endpoint{
		rest.Read(api.ListOIDCProviders, admin, s.listOIDCProviders),
		rest.Planned(api.CreateOIDCProvider, admin, s.sealForCreate, s.createOIDCProvider).On(rest.Organization),
		rest.Read(api.GetOIDCProvider, admin, s.getOIDCProvider),
		rest.Planned(api.UpdateOIDCProvider, admin, s.sealForUpdate, s.updateOIDCProvider).On(rest.OIDCProvider),
		rest.Write(api.DeleteOIDCProvider, admin, s.deleteOIDCProvider).On(rest.OIDCProvider).AllowAbsent(admin),
	}
}

// maxOIDCProviders is the maximum number of providers of an organization; the list of logins is not paginated.
const maxOIDCProviders = 20

func (s *Service) oidcProviderURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/oidc/" + id
}

// OIDCService returns the URLs of a provider at wsd.
func (s *Service) OIDCService(org, id string) api.OIDCService {
	base := s.PublicURL + "/oidc/" + org + "/" + id
	return api.OIDCService{RedirectURL: base + "/callback", StartURL: base + "/start"}
}

// encodeOIDCProvider returns the JSON of an OIDC provider, without its client secret. A default team that was deleted is left out,
// as are the entries of teams with a deleted one.
func (s *Service) encodeOIDCProvider(c *rest.Call, id string, r txn.Record) ([]byte, error) {
	var d store.OIDCProviderDocument
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	o := rest.ExtendObject(r.Public).
		SetIf(d.Private.Tried != nil && d.Private.Tried.ID() != store.OIDCSettingsOf(d).ID(), "untried", true)
	if err := s.setDefaultTeam(c, o, d.Private.DefaultTeam); err != nil {
		return nil, err
	}
	return o.Set("teams", existingProviderTeams(c, d.Private.Teams)).Set("service", s.OIDCService(c.Org, id)).
		Set("urls", api.LocationURLs{Location: s.oidcProviderURL(c.Org, id)}).Bytes()
}

func (s *Service) oidcProviderResult(c *rest.Call, id string, r txn.Record) (rest.Result[api.OIDCProvider], error) {
	data, err := s.encodeOIDCProvider(c, id, r)
	return rest.Result[api.OIDCProvider]{JSON: data, ID: id, Version: rest.RecordVersion(r)}, err
}

func (s *Service) listOIDCProviders(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListOIDCProvidersInput,
) rest.Finish[api.Page[api.OIDCProvider]] {
	return rest.ListIndexed[api.OIDCProvider](r, b, in.ListOptions, rest.IndexedList{
		Index:  store.OIDCProvidersKey(in.Organization),
		Key:    func(id string) redis.Key { return store.OIDCProviderKey(in.Organization, id) },
		Encode: func(c *rest.Call, id string, r txn.Record) ([]byte, error) { return s.encodeOIDCProvider(c, id, r) },
	})
}

func (s *Service) getOIDCProvider(_ context.Context, r *rest.Request, b *txn.Batch, in api.OIDCProviderRef) rest.Finish[api.OIDCProvider] {
	provider := b.Record(store.OIDCProviderKey(in.Organization, in.OIDCProvider))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.OIDCProvider], error) {
		record, ok, err := provider.Get()
		if err != nil || !ok {
			return rest.Result[api.OIDCProvider]{}, rest.NotFoundIfNil(err)
		}
		return s.oidcProviderResult(c, in.OIDCProvider, record)
	}
}

// sealedClient is the client secret of a request, sealed for a provider.
type sealedClient struct {
	provider string
	sealed   string // "" = the request has no secret
}

// sealClientSecret seals the client secret of a provider, if the settings have one.
func (s *Service) sealClientSecret(ctx context.Context, provider string, in api.OIDCProviderSettings) (sealedClient, error) {
	secret, ok := in.ClientSecret.Get()
	if !ok {
		return sealedClient{provider: provider}, nil
	}
	sealed, err := s.Sealer.Encrypt(ctx, secret, auth.ClientSecretPurpose(provider)...)
	return sealedClient{provider, sealed}, err
}

func (s *Service) sealForCreate(ctx context.Context, c *rest.Call, in api.CreateOIDCProviderInput) (sealedClient, error) {
	if err := c.StoredAnswer(); err != nil {
		return sealedClient{}, err
	}
	return s.sealClientSecret(ctx, s.IDs.New(store.OIDCProviderPrefix), in.Body.OIDCProviderSettings)
}

func (s *Service) createOIDCProvider(_ context.Context, c *rest.Call, tx *store.Tx, in api.CreateOIDCProviderInput,
	client sealedClient,
) (none rest.Result[api.OIDCProvider], err error) {
	count, err := tx.Cardinality(store.OIDCProvidersKey(c.Org))
	if err != nil {
		return none, err
	}
	if count >= maxOIDCProviders {
		return none, api.WrongState("An organization has at most %d OIDC providers.", maxOIDCProviders)
	}
	id := client.provider
	d, err := tx.OIDCProvider(c.Org, id)
	if err != nil {
		return none, err
	}
	d.Fields = api.OIDCProviderFields{Object: "oidc-provider", ID: id, Label: in.Body.Label, CreatedAt: api.At(tx.Now())}
	if _, err := s.configureOIDC(c, tx, &d, in.Body.OIDCProviderSettings, client); err != nil {
		return none, err
	}
	record, err := tx.PutOIDCProvider(c.Org, d)
	if err != nil {
		return none, err
	}
	result, err := s.oidcProviderResult(c, id, record)
	return result.WithLocation(id, s.oidcProviderURL(c.Org, id)), err
}

func (s *Service) sealForUpdate(ctx context.Context, c *rest.Call, in api.UpdateOIDCProviderInput) (sealedClient, error) {
	if err := c.StoredAnswer(); err != nil {
		return sealedClient{}, err
	}
	return s.sealClientSecret(ctx, in.OIDCProvider, in.Body.OIDCProviderSettings)
}

func (s *Service) updateOIDCProvider(_ context.Context, c *rest.Call, tx *store.Tx, in api.UpdateOIDCProviderInput,
	client sealedClient,
) (none rest.Result[api.OIDCProvider], err error) {
	d, err := tx.OIDCProvider(c.Org, in.OIDCProvider)
	if err != nil || d.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	before := d.Private
	changed, err := s.configureOIDC(c, tx, &d, in.Body.OIDCProviderSettings, client)
	if err != nil {
		return none, err
	}
	if before.ClientSecret != d.Private.ClientSecret {
		c.NoteTextChange("clientSecret")
	}
	noteProviderTeams(c, before.DefaultTeam, d.Private.DefaultTeam, before.Teams, d.Private.Teams)
	changed = in.Body.Label.Apply(&d.Fields.Label) || changed
	return rest.PutIfChanged(tx, store.OIDCProviderKey(c.Org, in.OIDCProvider), changed,
		func() (txn.Record, error) { return tx.PutOIDCProvider(c.Org, d) },
		func(r txn.Record) (rest.Result[api.OIDCProvider], error) {
			return s.oidcProviderResult(c, in.OIDCProvider, r)
		})
}

// configureOIDC validates and applies settings. It reports whether the provider changed.
func (s *Service) configureOIDC(c *rest.Call, tx *store.Tx, d *store.OIDCProviderDocument, in api.OIDCProviderSettings,
	client sealedClient,
) (changed bool, err error) {
	wrong, err := checkProviderTeams(tx, c.Org, in.DefaultTeam, in.Teams)
	if err != nil {
		return false, err
	}
	f, issuer := &d.Fields, d.Fields.Issuer
	changed = slices.Contains([]bool{
		in.Issuer.Apply(&f.Issuer), in.ClientID.Apply(&f.ClientID), s.applySecret(d, in, client), in.TrustEmail.Apply(&f.TrustEmail),
		in.TeamClaim.Apply(&f.TeamClaim), in.DefaultTeam.Apply(&d.Private.DefaultTeam),
		applyTeams(in.Teams, &d.Private.Teams), ApplyPointer(in.DefaultRole, &f.DefaultRole),
	}, true)
	if reason := api.SharedIssuerReason(f.Issuer); reason != "" && f.TrustEmail {
		if trust, _ := in.TrustEmail.Get(); trust {
			wrong = append(wrong, api.FieldError{Path: "trustEmail", Message: "must be false: " + reason})
		} else {
			wrong = append(wrong, api.FieldError{Path: "issuer", Message: "must be of one tenant while trustEmail is true: " + reason})
		}
	}
	if issuer != "" && f.Issuer != issuer && d.Private.ClientSecret != "" && client.sealed == "" {
		wrong = append(wrong, api.FieldError{
			Path: "clientSecret", Message: "must be given with another issuer: the secret for one issuer is not sent to another",
		})
	}
	if len(wrong) > 0 {
		return false, api.Invalid(wrong...)
	}
	if f.HasClientSecret = d.Private.ClientSecret != ""; !f.Complete() {
		d.Private.Tried = nil
		err = checkProviderRemains(c, tx, f.ID, false)
	}
	return changed, err
}

// applySecret sets the client secret, and reports whether it is another one than before. A secret that no key opens is another one.
func (s *Service) applySecret(d *store.OIDCProviderDocument, in api.OIDCProviderSettings, client sealedClient) bool {
	if client.sealed == "" {
		return false
	}
	secret, _ := in.ClientSecret.Get()
	before, err := s.Sealer.Decrypt(d.Private.ClientSecret, auth.ClientSecretPurpose(client.provider)...)
	if err == nil && before == secret {
		return false
	}
	d.Private.ClientSecret = client.sealed
	d.Private.Number++
	return true
}

func (s *Service) deleteOIDCProvider(_ context.Context, c *rest.Call, tx *store.Tx, in api.OIDCProviderRef) (rest.Result[api.None], error) {
	d, err := tx.OIDCProvider(in.Organization, in.OIDCProvider)
	if err != nil || d.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	if err := checkProviderRemains(c, tx, in.OIDCProvider, true); err != nil {
		return rest.Result[api.None]{}, err
	}
	tx.DeleteOIDCProvider(in.Organization, in.OIDCProvider)
	return rest.None(in.OIDCProvider), nil
}
