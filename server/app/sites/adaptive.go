package sites

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/conditions"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) siteAdaptiveEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetSiteAdaptiveSchema, auth.InSite(api.RoleEdit), s.getAdaptiveSchema),
		rest.Write(api.UpdateSiteAdaptiveSchema, auth.InSite(api.RoleCreate).AndOpened(), s.updateAdaptiveSchema).On(rest.Site),
		rest.Read(api.ListSiteTemplateConditions, auth.InSite(api.RoleEdit), s.listTemplateConditions),
		rest.Read(api.GetSiteAuth, auth.InSite(api.RoleCreate).AndShown(), s.getSiteAuth).WithScope(api.ScopeWrite),
		rest.Write(api.UpdateSiteAuth, auth.InSite(api.RoleCreate).AndShown(), s.updateSiteAuth).On(rest.Site),
		rest.Op(api.RegenerateSiteAuth, auth.InSite(api.RoleCreate).AndShown(), s.regenerateSiteAuth).On(rest.Site),
	}
}

// readSite builds a handler that reads only the record of a site and returns the result of show.
func readSite[Out any](
	r *rest.Request, b *txn.Batch, site string, show func(store.SiteDocument) (rest.Result[Out], error),
) rest.Finish[Out] {
	record := b.Record(store.SiteKey(r.Org, site))
	return func(context.Context, *rest.Call) (rest.Result[Out], error) {
		d, err := decodeSite(record)
		if err != nil {
			return rest.Result[Out]{}, err
		}
		return show(d)
	}
}

// adaptiveSchemaResult returns the response with the adaptive schema of a site, or not_found if it has none.
func adaptiveSchemaResult(d store.SiteDocument) (rest.Result[api.SiteAdaptiveSchema], error) {
	if d.Private.Schema == nil {
		return rest.Result[api.SiteAdaptiveSchema]{}, api.NotFound()
	}
	result, err := rest.Value(api.SiteAdaptiveSchema{
		Object: "site-adaptive-schema", JSONSchema: api.JSONObject(d.Private.Schema.JSON), UpdatedAt: d.Private.Schema.UpdatedAt,
	})
	result.ID = d.Fields.ID
	return result.WithVersion(fmt.Sprint(d.Version)), err
}

func (s *Service) getAdaptiveSchema(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.SiteRef,
) rest.Finish[api.SiteAdaptiveSchema] {
	return readSite(r, b, in.Site, adaptiveSchemaResult)
}

func (s *Service) updateAdaptiveSchema(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateAdaptiveSchemaInput,
) (none rest.Result[api.SiteAdaptiveSchema], err error) {
	if _, wrong := conditions.ParseSchema(in.Body.JSONSchema); len(wrong) > 0 {
		return none, invalidSchemaError(wrong)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, in.Body.JSONSchema); err != nil {
		return none, fmt.Errorf("adaptive schema: %w", err)
	}
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return none, err
	}
	unchanged := d.Private.Schema != nil && bytes.Equal(d.Private.Schema.JSON, compact.Bytes())
	if !unchanged {
		d.Private.Schema = &store.SiteSchema{JSON: compact.Bytes(), UpdatedAt: api.At(tx.Now())}
		if err := putSite(c, tx, &d); err != nil {
			return none, err
		}
	}
	result, err := adaptiveSchemaResult(d)
	result.Unchanged = unchanged
	return result, err
}

func invalidSchemaError(wrong []conditions.Violation) error {
	fields := make([]api.FieldError, len(wrong))
	for i, v := range wrong {
		fields[i] = api.FieldError{Path: "jsonSchema", Message: v.Message}
		if v.Path != "" {
			fields[i].Path += "." + v.Path
		}
	}
	return api.Invalid(fields...)
}

func (s *Service) listTemplateConditions(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.SiteRef,
) rest.Finish[api.TemplateConditions] {
	return readSite(r, b, in.Site, func(d store.SiteDocument) (rest.Result[api.TemplateConditions], error) {
		if d.Private.Schema == nil {
			return rest.Result[api.TemplateConditions]{}, api.NotFound()
		}
		schema, wrong := conditions.ParseSchema(d.Private.Schema.JSON)
		if len(wrong) > 0 {
			return rest.Result[api.TemplateConditions]{}, fmt.Errorf("%w: adaptive schema of %s", redis.ErrCorrupt, d.Fields.ID)
		}
		items := []api.TemplateCondition{}
		for _, t := range schema.Templates() {
			items = append(items, api.TemplateCondition{Description: t.Description, Condition: t.Condition})
		}
		result, err := rest.Value(api.TemplateConditions{Items: items})
		return result.WithVersion(fmt.Sprint(d.Version)), err
	})
}

// checkCondition returns an error if a condition has a syntax error or uses claims that the schema of the site does
// not define, which no visitor could satisfy.
func checkCondition(d store.SiteDocument, condition api.Optional[string]) error {
	text, given := condition.Get()
	if !given {
		return nil
	}
	read, err := conditions.ParseCondition(text)
	if syntax := (*conditions.SyntaxError)(nil); errors.As(err, &syntax) {
		return api.InvalidField("condition", "%s", syntax)
	}
	if err != nil || d.Private.Schema == nil {
		return err
	}
	schema, _ := conditions.ParseSchema(d.Private.Schema.JSON)
	if claim := schema.UndefinedClaim(read); claim != "" {
		return api.InvalidField("condition", "the adaptive schema of the site has no %s", api.Shorten(claim, 100))
	}
	return nil
}

// siteAuthResult returns the response with the visitor authentication of a site, or not_found if the site has no key.
func (s *Service) siteAuthResult(d store.SiteDocument) (rest.Result[api.PublishingAuth], error) {
	if d.Private.Auth.Key == "" {
		return rest.Result[api.PublishingAuth]{}, api.NotFound().
			WithHint("Make a key first: wsctl sites regenerate-auth %s", d.Fields.ID)
	}
	key, err := s.Sealer.Decrypt(d.Private.Auth.Key, auth.VisitorKeyPurpose(d.Fields.ID)...)
	if err != nil {
		return rest.Result[api.PublishingAuth]{}, err
	}
	result, err := rest.Value(api.PublishingAuth{
		Object: "publishing-auth", ID: d.Fields.ID, Backend: "custom", PrivateKey: key, FallbackURL: d.Private.Auth.FallbackURL,
	})
	result.ID = d.Fields.ID
	return result.WithVersion(fmt.Sprint(d.Version)), err
}

func (s *Service) getSiteAuth(ctx context.Context, r *rest.Request, b *txn.Batch, in api.SiteRef) rest.Finish[api.PublishingAuth] {
	return readSite(r, b, in.Site, s.siteAuthResult)
}

func (s *Service) updateSiteAuth(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateSiteAuthInput,
) (rest.Result[api.PublishingAuth], error) {
	d, err := loadSite(c, tx, in.Site)
	if err != nil {
		return rest.Result[api.PublishingAuth]{}, err
	}
	changed := in.Body.FallbackURL.ApplyNull(&d.Private.Auth.FallbackURL)
	if changed && d.Private.Auth.Key != "" {
		if err := putSite(c, tx, &d); err != nil {
			return rest.Result[api.PublishingAuth]{}, err
		}
	}
	result, err := s.siteAuthResult(d)
	result.Unchanged = !changed
	return result, err
}

// regenerateSiteAuth replaces the key of a site. Tokens signed with the old key become invalid.
func (s *Service) regenerateSiteAuth(ctx context.Context, c *rest.Call, in api.SiteRef) (rest.Result[api.PublishingAuth], error) {
	sealed, err := s.Sealer.Encrypt(ctx, rand.Text()+rand.Text(), auth.VisitorKeyPurpose(in.Site)...)
	if err != nil {
		return rest.Result[api.PublishingAuth]{}, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.PublishingAuth], error) {
		d, err := loadSite(c, tx, in.Site)
		if err != nil {
			return rest.Result[api.PublishingAuth]{}, err
		}
		d.Private.Auth.Key = sealed
		if err := putSite(c, tx, &d); err != nil {
			return rest.Result[api.PublishingAuth]{}, err
		}
		return s.siteAuthResult(d)
	})
}
