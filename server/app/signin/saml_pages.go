package signin

import (
	"errors"
	"net/http"
	"strconv"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/signin/saml"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// maxResponseBytes is the maximum size of a form with a SAML response.
const maxResponseBytes = 512 << 10

// samlProvider returns a provider in the form of package saml.
func (s *Service) samlProvider(p orgs.Provider) (saml.Provider, error) {
	certificates, err := orgs.ParseCertificates(string(p.SAML.Certificate))
	service := s.Logins.Orgs.SAMLService(p.Organization, p.ID)
	return saml.Provider{
		EntityID: p.SAML.EntityID, SSOURL: p.SAML.SSOURL, Certificates: certificates, ServiceID: service.EntityID, ACSURL: service.ACSURL,
		SubjectAttribute: p.Attributes.Subject, EmailAttribute: p.Attributes.Email, NameAttribute: p.Attributes.Name,
		TeamAttribute: p.Attributes.Team,
	}, err
}

// startSAML returns the id of a new request, and the address that leads the browser to the provider with it.
func (s *Service) startSAML(provider orgs.Provider) (id, address string, err error) {
	p, err := s.samlProvider(provider)
	if err != nil {
		return "", "", err
	}
	request, err := p.NewRequest(s.Clock())
	if err != nil {
		return "", "", err
	}
	address, err = request.Address("")
	return request.ID, address, err
}

// serveSAMLMetadata describes this server to a provider, which need not be configured yet. It reveals nothing about the organization.
func (s *Service) serveSAMLMetadata(w http.ResponseWriter, r *http.Request) {
	organization, id := providerPath(r)
	service := s.Logins.Orgs.SAMLService(organization, id)
	data, err := saml.Provider{ServiceID: service.EntityID, ACSURL: service.ACSURL}.Metadata()
	if err != nil {
		s.Rest.Refuse(w, r, rest.PublicError(err))
		return
	}
	h := w.Header()
	rest.BaseHeaders(h, s.Rest.RequestID(r))
	h.Set("Content-Type", "application/samlmetadata+xml")
	_, _ = w.Write(data) // the client has disconnected
}

// finishSAML completes a sign-in by a SAML provider, which sends a form.
func (s *Service) finishSAML(v *visit) error {
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxResponseBytes)
	if err := v.r.ParseForm(); err != nil {
		return api.Errorf(http.StatusBadRequest, api.ReasonInvalid, "The form cannot be read.")
	}
	organization, id := providerPath(v.r)
	if s.cookie(v.r, signInCookie) == "" {
		return s.showUnsolicited(v, organization, id)
	}
	p, provider, err := v.resume()
	if err != nil {
		return err
	}
	if provider.SAML == nil {
		return api.NotFound()
	}
	settings, err := s.samlProvider(provider)
	if err != nil {
		return s.refuse(v, p, "certificate", err)
	}
	found, err := settings.Check(v.r.PostForm.Get("SAMLResponse"), p.Request, s.Clock())
	if errors.Is(err, saml.ErrUnsolicited) {
		return s.showUnsolicited(v, organization, id)
	}
	if err != nil {
		return s.refuse(v, p, "answer", err)
	}
	isFirst, err := s.Store.PutOnce(v.r.Context(), store.AssertionKey(provider.ID, settings.EntityID, found.AssertionID),
		strconv.FormatInt(s.Clock().Unix(), 10), found.ValidUntil.Sub(s.Clock()))
	if err != nil {
		return err
	}
	if !isFirst {
		return s.refuse(v, p, "answer", errUsedBefore)
	}
	return s.identified(v, p, identified{Identity: orgs.Identity{
		Issuer: settings.EntityID, Subject: found.Subject, Email: found.Email, IsEmailVerified: true, Name: found.Name,
		Teams: provider.TeamsOf(found.Teams),
	}})
}

// errUsedBefore is the reason for the refusal of an assertion that came before.
var errUsedBefore = errors.New("the assertion was used before")

// showUnsolicited shows the page for an answer that this browser has not asked for, such as that of a tile of a portal. It leads to the
// address at which a sign-in begins.
func (s *Service) showUnsolicited(v *visit, organization, id string) error {
	if _, err := s.Logins.LoadProvider(v.r.Context(), organization, id, orgs.TriedSettings); err != nil {
		return err
	}
	return v.show(http.StatusForbidden, "unsolicited.html", map[string]any{
		"Start": s.Logins.Orgs.StartURL(organization, id),
	})
}
