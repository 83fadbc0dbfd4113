package sites

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/text/conditions"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// previewLifetime is the validity of the token in a preview URL.
const previewLifetime = time.Hour

// getSitePreview returns a URL of a site. If the site has a key, the URL contains a visitor token with the given
// claims; public sites need none.
func (s *Service) getSitePreview(_ context.Context, r *rest.Request, b *txn.Batch, in api.SitePreviewInput) rest.Finish[api.SitePreview] {
	site := b.Record(store.SiteKey(r.Org, in.Site))
	claims, wrong := conditions.ParseRison(in.Claims)
	return func(_ context.Context, c *rest.Call) (none rest.Result[api.SitePreview], err error) {
		if wrong != nil {
			return none, api.InvalidParam(api.FieldError{Path: "claims", Message: wrong.Error()})
		}
		d, err := decodeSite(site)
		if err != nil {
			return none, err
		}
		address, err := s.siteAddress(c, d, in.SiteSpace)
		if err != nil {
			return none, err
		}
		query, err := s.accessQuery(c, d, claims)
		if err != nil {
			return none, err
		}
		if len(query) > 0 {
			if err := checkReadsSite(c, d.Fields.ID); err != nil {
				return none, err
			}
			address += "?" + query.Encode()
		}
		result, err := rest.Value(api.SitePreview{URL: address})
		return result.WithVersion(fmt.Sprint(d.Version)), err
	}
}

// checkReadsSite returns an error unless the caller can read every space of a site, because the URL opens them all.
func checkReadsSite(c *rest.Call, site string) error {
	return withSite(c, site, func(model *access.Model) error {
		_, err := c.CheckReadable(model, model.Site(site).ShownSpaces())
		return err
	})
}

// siteAddress returns the URL of a site or of one of its site spaces.
func (s *Service) siteAddress(c *rest.Call, d store.SiteDocument, siteSpace string) (address string, err error) {
	path := ""
	if siteSpace != "" {
		shown := d.Private.Space(siteSpace)
		if shown == nil {
			return "", api.InvalidParam(api.FieldError{Path: "siteSpace", Message: "is not a site space of this site"})
		}
		path = d.Private.PublishedPath(*shown)
	}
	err = withSite(c, d.Fields.ID, func(model *access.Model) error {
		address = s.View.SiteAddress(c.Org, d.Fields.ID, model.Site(d.Fields.ID).SiteEntry)
		return nil
	})
	if path != "" {
		address += "/" + (&url.URL{Path: path}).EscapedPath()
	}
	return address, err
}

// accessQuery returns the query parameters that a URL needs for access to a site.
func (s *Service) accessQuery(c *rest.Call, d store.SiteDocument, claims map[string]any) (url.Values, error) {
	query := url.Values{}
	if d.Fields.Visibility == api.SiteShareLink {
		key, err := s.activeShareKey(c, d.Fields.ID)
		if err != nil {
			return nil, err
		}
		query.Set(rest.ShareKeyParam, key)
	}
	if d.Private.Auth.Key == "" {
		if d.Fields.Visibility == api.SiteVisitorAuth || len(claims) > 0 {
			return nil, api.WrongState("The site has no key yet to sign visitors' tokens with.").
				WithHint("Make one first: wsctl sites regenerate-auth %s", d.Fields.ID)
		}
		return query, nil
	}
	token, err := s.signVisitorToken(d, claims)
	query.Set(auth.VisitorTokenParam, token)
	return query, err
}

// signVisitorToken returns a visitor token for a site with the given claims.
func (s *Service) signVisitorToken(d store.SiteDocument, claims map[string]any) (string, error) {
	key, err := s.Sealer.Decrypt(d.Private.Auth.Key, auth.VisitorKeyPurpose(d.Fields.ID)...)
	if err != nil {
		return "", err
	}
	now := s.Store.Now()
	signed := jwt.MapClaims{}
	maps.Copy(signed, claims)
	signed["iss"], signed["aud"] = s.PublicURL, []string{d.Fields.ID}
	signed["iat"], signed["exp"] = now.Unix(), now.Add(previewLifetime).Unix()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, signed).SignedString([]byte(key))
	if err != nil {
		return "", fmt.Errorf("sign the token of a preview: %w", err)
	}
	return token, nil
}

// activeShareKey returns the key of an active share link of a site.
func (s *Service) activeShareKey(c *rest.Call, site string) (key string, err error) {
	err = withSite(c, site, func(model *access.Model) error {
		id := model.ShareLinkOf(site)
		if id == "" {
			return api.WrongState("The site has no active share link.").
				WithHint("Make one first: wsctl share-links create --site %s --name NAME", site)
		}
		key = s.Signer.ShareKey(id)
		return nil
	})
	return key, err
}
