package signin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/signin/oidc"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// signInTime is the time that a sign-in by a provider may take.
const signInTime = 10 * time.Minute

// signInPurpose is the purpose of what signInCookie contains.
const signInPurpose = "sign-in"

// identifiedPurpose is the purpose of a stored identity.
const identifiedPurpose = "identified"

// pendingSignIn is a sign-in by a provider that is under way. The browser keeps it, encrypted, in signInCookie: whoever completes it has
// begun it.
type pendingSignIn struct {
	Organization string `json:"organization"`
	Provider     string `json:"provider"`
	Settings     string `json:"settings"` // see orgs.Provider
	Next         string `json:"next"`     // where to go then
	Until        int64  `json:"until"`    // Unix seconds
	ID           string `json:"id"`       // random; it signs in once

	Request string     `json:"request,omitempty"` // id of the SAML request
	OIDC    oidc.Start `json:"oidc,omitzero"`

	// IsIdentified is set when the provider has answered. Then identified is stored under the id.
	IsIdentified bool `json:"isIdentified,omitempty"`
	identified   `json:"-"`
}

// identified is the answer of a provider to a sign-in. It does not fit into a cookie.
type identified struct {
	Identity orgs.Identity `json:"identity"`
	Refresh  string        `json:"refresh"` // refresh token, of orgs.Logins.SealRefresh; "" = none
}

// keep stores the sign-in in the browser.
func (s *Service) keep(w http.ResponseWriter, p pendingSignIn) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode a sign-in: %w", err)
	}
	sealed, err := s.Signer.EncryptCookie(string(data), signInPurpose)
	if err != nil {
		return err
	}
	s.setCookie(w, signInCookie, sealed, signInTime)
	return nil
}

// pendingSignIn returns the sign-in that the browser has begun and not completed, and forgets it. ok is false if there is none.
func (v *visit) pendingSignIn() (p pendingSignIn, ok bool, err error) {
	s := v.service
	sealed := s.cookie(v.r, signInCookie)
	if sealed == "" {
		return p, false, nil
	}
	s.setCookie(v.w, signInCookie, "", 0)
	text, ok, err := s.Signer.DecryptCookie(v.r.Context(), sealed, signInPurpose)
	if err != nil || !ok {
		return p, false, err
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return p, false, fmt.Errorf("decode a sign-in: %w", err)
	}
	return p, s.Clock().Unix() < p.Until, nil
}

// providerPath returns the organization and the provider in the path of a request.
func providerPath(r *http.Request) (organization, provider string) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 {
		return "", ""
	}
	return parts[1], parts[2]
}

// providerLink is a provider on the page of the sign-in.
type providerLink struct{ Label, Start string }

// providersOf returns the active providers of an organization, and its title.
func (v *visit) providersOf(organization, next string) (title string, links []providerLink, err error) {
	var logins api.SSOLogins
	err = v.ask(rest.Query{Row: api.ListSAMLProviderLogins.Row, Path: map[string]string{"organizationId": organization}}, &logins)
	if api.IsReason(err, api.ReasonNotFound) || api.IsReason(err, api.ReasonInvalid) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	for _, login := range logins.Items {
		links = append(links, providerLink{login.Label, login.StartURL + "?" + url.Values{"next": {next}}.Encode()})
	}
	if len(links) > 0 {
		title, err = v.service.Logins.OrganizationTitle(v.r.Context(), organization)
	}
	return title, links, err
}

// chooseProvider leads to the provider of the organization with an id, or with the domain of an address. Whether an account has the address
// is not looked up.
func (s *Service) chooseProvider(v *visit) error {
	asked, next := v.formValue("organization"), localAddress(v.formValue("next"))
	organizations := []string{asked}
	if email, ok := orgs.NormalizeEmail(asked); ok {
		var err error
		if organizations, err = s.Logins.OrganizationsOfDomain(v.r.Context(), orgs.EmailAddressDomain(email)); err != nil {
			return err
		}
	}
	var titles []string
	var links []providerLink
	for _, organization := range organizations {
		title, found, err := v.providersOf(organization, next)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			titles, links = append(titles, title), append(links, found...)
		}
	}
	data := map[string]any{"Next": next, "Asked": asked}
	switch {
	case len(links) == 1:
		v.leave("Go on to "+links[0].Label, links[0].Start)
		return nil
	case len(links) == 0:
		data["Refusal"] = "No organization with this id or domain signs in by a provider here."
		return v.show(http.StatusUnprocessableEntity, "sign-in.html", data)
	}
	data["Providers"], data["Organization"] = links, strings.Join(titles, ", ")
	return v.show(http.StatusOK, "sign-in.html", data)
}

// maxStarts is the number of sign-ins that an address begins per minute and node. Each may send a request to the provider.
const maxStarts = 600

// startSignIn leads to a provider. With the parameter try, it uses the present settings of the provider, also if no admin has signed in by
// them.
func (s *Service) startSignIn(v *visit) error {
	if _, ok := s.starts.Take(auth.Address(v.r), s.Clock(), 0); !ok {
		return api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited, "Too many sign-ins from this address. Try again in a minute.")
	}
	organization, id := providerPath(v.r)
	settings := orgs.TriedSettings
	if v.r.URL.Query().Has("try") {
		settings = orgs.PresentSettings
	}
	provider, err := s.Logins.LoadProvider(v.r.Context(), organization, id, settings)
	if err != nil {
		return err
	}
	p := pendingSignIn{
		Organization: organization, Provider: id, Settings: provider.Settings, Next: localAddress(v.r.URL.Query().Get("next")),
		Until: s.Clock().Add(signInTime).Unix(), ID: rand.Text(),
	}
	var address string
	if provider.OIDC != nil {
		p.OIDC, err = s.OIDC.Start(v.r.Context(), s.oidcProvider(provider))
		address = p.OIDC.Address
		p.OIDC.Address = ""
	} else {
		p.Request, address, err = s.startSAML(provider)
	}
	if err != nil {
		return s.refuse(v, p, "request", err)
	}
	if err := s.keep(v.w, p); err != nil {
		return err
	}
	v.redirect(address)
	return nil
}

// finishOIDC completes a sign-in by an OIDC provider.
func (s *Service) finishOIDC(v *visit) error {
	p, provider, err := v.resume()
	if err != nil {
		return err
	}
	if provider.OIDC == nil {
		return api.NotFound()
	}
	found, err := s.OIDC.Finish(v.r.Context(), s.oidcProvider(provider), p.OIDC, v.r.URL.Query())
	if err != nil {
		return s.refuse(v, p, "answer", err)
	}
	refresh := s.Logins.SealRefresh(v.r.Context(), store.IdentityID(p.Provider, found.Issuer, found.Subject), found.Refresh)
	return s.identified(v, p, identified{Refresh: refresh, Identity: orgs.Identity{
		Issuer: found.Issuer, Subject: found.Subject, Email: found.Email, IsEmailVerified: found.IsEmailVerified,
		Name: found.Name, Teams: provider.TeamsOf(found.Teams),
	}})
}

// Confirm implements orgs.Confirmer.
func (s *Service) Confirm(ctx context.Context, p orgs.Provider, subject, refresh string) (c orgs.Confirmation, err error) {
	found, err := s.OIDC.Refresh(ctx, s.oidcProvider(p), subject, refresh)
	switch {
	case errors.Is(err, oidc.ErrUnavailable):
		err = errors.Join(orgs.ErrProviderUnavailable, err)
	case oidc.IsRevoked(err):
		err = errors.Join(orgs.ErrSignInRevoked, err)
	}
	return orgs.Confirmation{Refresh: found.Refresh, Teams: p.TeamsOf(found.Teams), HasTeams: found.HasTeams}, err
}

// oidcProvider returns a provider in the form of package oidc.
func (s *Service) oidcProvider(p orgs.Provider) oidc.Provider {
	return oidc.Provider{
		Issuer: p.OIDC.Issuer, ClientID: p.OIDC.ClientID, ClientSecret: p.OIDC.ClientSecret, TeamClaim: p.Attributes.Team,
		RedirectURL: s.Logins.Orgs.OIDCService(p.Organization, p.ID).RedirectURL,
	}
}

// resume returns the sign-in that the browser has begun with the provider in the path, and the provider.
func (v *visit) resume() (p pendingSignIn, provider orgs.Provider, err error) {
	organization, id := providerPath(v.r)
	p, ok, err := v.pendingSignIn()
	if err != nil {
		return p, provider, err
	}
	if !ok || p.Organization != organization || p.Provider != id {
		p = pendingSignIn{Organization: organization, Provider: id}
		return p, provider, v.service.refuse(v, p, "not-begun", errNotBegun)
	}
	provider, err = v.service.Logins.LoadProvider(v.r.Context(), organization, id, p.Settings)
	return p, provider, err
}

// errNotBegun is the reason for the refusal of an answer to which this browser has no sign-in.
var errNotBegun = errors.New("the browser has begun no sign-in by this provider, or more than ten minutes ago")

// refuse logs why a sign-in by a provider is refused, and returns the error for the browser, which does not say why. what is a keyword: the
// part of the sign-in that is refused.
func (s *Service) refuse(v *visit, p pendingSignIn, what string, reason error) error {
	s.Log.Warn("sign-in refused", "organization", p.Organization, "provider", p.Provider, "what", what, "reason", reason,
		"address", auth.Address(v.r))
	status, code, message := http.StatusForbidden, api.ReasonForbidden, "Sign-in failed."
	if errors.Is(reason, oidc.ErrUnavailable) {
		status, code, message = http.StatusServiceUnavailable, api.ReasonUnavailable, "The identity provider does not answer."
	}
	if _, ok := s.refusals.Take(p.Organization+" "+auth.Address(v.r), s.Clock(), 0); ok {
		body := orgs.SignInRefusal{Organization: p.Organization, Provider: p.Provider, Reason: what}
		if err := s.Rest.Ask(v.r, rest.Query{Row: orgs.RefuseSignIn.Row, Body: body}, nil); err != nil {
			s.Log.Debug("no event of a refused sign-in", "error", err)
		}
	}
	return api.Errorf(status, code, "%s", message).
		WithHint("Start again at %s. Whoever runs the server finds the reason in its log.",
			s.Logins.Orgs.StartURL(p.Organization, p.Provider))
}

// identified stores whom a provider has identified, and leads to the page that signs the person in. Browsers send the session to that page
// also if the provider has sent a form.
func (s *Service) identified(v *visit, p pendingSignIn, found identified) error {
	data, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("encode an identity: %w", err)
	}
	sealed, err := s.Signer.EncryptCookie(string(data), identifiedPurpose)
	if err != nil {
		return err
	}
	isFirst, err := s.Store.PutOnce(v.r.Context(), store.IdentifiedKey(p.ID), sealed, signInTime)
	if err != nil {
		return err
	}
	if !isFirst {
		return s.refuse(v, p, "answer", errUsedBefore)
	}
	p.IsIdentified, p.OIDC, p.Request = true, oidc.Start{}, ""
	if err := s.keep(v.w, p); err != nil {
		return err
	}
	v.redirect("/account/identified")
	return nil
}

// showIdentified signs in the person whom a provider has identified. Somebody who is signed in already as another account is
// asked first: another site may have led the browser to a provider at which somebody else is signed in.
func (s *Service) showIdentified(v *visit) error {
	p, err := v.identity()
	if err != nil {
		return err
	}
	if v.session.Secret == "" {
		return s.startProviderSession(v, p, false)
	}
	var found orgs.FoundIdentity
	params := url.Values{"organization": {p.Organization}, "identity": {orgs.IdentityID(p.Provider, p.Identity)}}
	if err := s.Rest.Ask(v.r, rest.Query{Row: orgs.FindIdentity.Row, Params: params}, &found); err != nil {
		return err
	}
	if found.User != v.session.User {
		return s.askWhose(v, p, found.User == "" && (v.access.Organization == "" || v.access.Organization == p.Organization))
	}
	return s.startProviderSession(v, p, false)
}

// askWhose asks whether an identity is that of the person who is signed in, if it can be linked with their account, or whether to sign in
// by it in place of that account.
func (s *Service) askWhose(v *visit, p pendingSignIn, isLinkable bool) error {
	provider, err := s.Logins.LoadProvider(v.r.Context(), p.Organization, p.Provider, p.Settings)
	if err != nil {
		return err
	}
	var user api.CurrentUser
	if err := v.ask(rest.Query{Row: api.GetUser.Row}, &user); err != nil {
		return err
	}
	if err := s.keep(v.w, p); err != nil {
		return err
	}
	return v.show(http.StatusOK, "confirm.html", map[string]any{
		"Provider": provider.Label, "Organization": provider.Title, "Identity": p.Identity, "User": user,
		"IsLinkable": isLinkable,
	})
}

// decideIdentity links an identity with the account of the person who is signed in, or signs in by it as another one.
func (s *Service) decideIdentity(v *visit) error {
	p, err := v.identity()
	if err != nil {
		return err
	}
	return s.startProviderSession(v, p, v.formValue("decision") == "link")
}

// identity returns the sign-in of the browser whose person the provider has identified.
func (v *visit) identity() (p pendingSignIn, err error) {
	s, ctx := v.service, v.r.Context()
	tooLate := api.Errorf(http.StatusConflict, api.ReasonState, "This sign-in has taken more than ten minutes, or is completed.").
		WithHint("Start again at %s", s.PublicURL+"/account/sign-in")
	p, ok, err := v.pendingSignIn()
	if err != nil {
		return p, err
	}
	if !ok || !p.IsIdentified {
		return p, tooLate
	}
	b := s.Store.NewBatch()
	stored := b.Value(store.IdentifiedKey(p.ID))
	if err := b.Do(ctx); err != nil {
		return p, fmt.Errorf("read the identity of a sign-in: %w", err)
	}
	sealed, ok := stored.Get()
	if !ok {
		return p, tooLate
	}
	text, ok, err := s.Signer.DecryptCookie(ctx, sealed, identifiedPurpose)
	if err != nil {
		return p, err
	}
	if !ok {
		return p, tooLate
	}
	if err := json.Unmarshal([]byte(text), &p.identified); err != nil {
		return p, fmt.Errorf("decode an identity: %w", err)
	}
	return p, nil
}

// startProviderSession signs the browser in.
func (s *Service) startProviderSession(v *visit, p pendingSignIn, isConfirmed bool) error {
	body := orgs.SignInRequest{
		Organization: p.Organization, Provider: p.Provider, Settings: p.Settings, Identity: p.Identity, Refresh: p.Refresh,
		IsConfirmed: isConfirmed, Client: browserName(v.r.UserAgent()), Address: s.keptAddress(auth.Address(v.r)),
	}
	isFirst, err := s.Store.PutOnce(v.r.Context(), store.SignInKey(p.ID), "1", signInTime)
	if err != nil {
		return err
	}
	if !isFirst {
		return s.refuse(v, p, "answer", errUsedBefore)
	}
	var made orgs.SignedIn
	q := rest.Query{Row: orgs.SignIn.Row, Body: body}
	if isConfirmed {
		q.Session = v.session
	}
	if err := s.Rest.Ask(v.r, q, &made); err != nil {
		return err
	}
	s.replaceSession(v, made.Session)
	if err := s.Store.Forget(v.r.Context(), store.IdentifiedKey(p.ID)); err != nil { // it expires by itself
		s.Log.Debug("the identity of a sign-in is still stored", "error", err)
	}
	v.redirect(p.Next)
	return nil
}
