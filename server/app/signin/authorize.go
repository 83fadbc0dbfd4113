package signin

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

// clientID is the only client: programs on the computer of a person. They have no secret, so that any of them may call itself so.
const clientID = "wsctl"

var (
	loopbackURI   = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]):[0-9]{1,5}/$`)
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
)

// grant contains the access that a client asks for.
type grant struct {
	device       string // name of the computer
	scope        string // as asked for; "" = as the roles of the person need
	organization string
}

// scope returns the scope of the login of a grant: as asked for, or as the roles of the person need. The session limits it.
func (v *visit) scope(g grant) (api.Scope, error) {
	var asked []api.Scope
	for scope := range strings.FieldsSeq(g.scope) {
		asked = append(asked, api.Scope(scope))
	}
	if len(asked) == 0 {
		var needed orgs.SessionAccess
		params := url.Values{}
		if g.organization != "" {
			params.Set("organization", g.organization)
		}
		if err := v.ask(rest.Query{Row: orgs.ListScopes.Row, Params: params}, &needed); err != nil {
			return "", err
		}
		asked = needed.Scopes
	}
	order := api.Scope("").Values()
	return order[min(slices.Index(order, widestScope(v.access.Scopes)), slices.Index(order, widestScope(asked)))], nil
}

// widestScope returns the scope that includes all of a list, which is not empty.
func widestScope(scopes []api.Scope) (widest api.Scope) {
	for _, scope := range api.Scope("").Values() {
		if slices.Contains(scopes, scope) {
			widest = scope
		}
	}
	return widest
}

// readGrant reads the parameters that the two kinds of requests have in common.
func readGrant(q url.Values) (g grant, err error) {
	g = grant{
		device: strings.TrimSpace(q.Get("device_name")), scope: strings.TrimSpace(q.Get("scope")), organization: q.Get("organization"),
	}
	if q.Get("client_id") != clientID {
		return g, invalidRequest("client_id must be %s", clientID)
	}
	for scope := range strings.FieldsSeq(g.scope) {
		if !slices.Contains(api.Scope("").Values(), api.Scope(scope)) {
			return g, invalidRequest("scope has an unknown word; it takes read, write and admin")
		}
	}
	if g.device == "" {
		g.device = clientID
	}
	if len([]rune(g.device)) > maxClientName || g.device != printable(g.device) {
		return g, invalidRequest("device_name must have at most %d characters, all of them printable", maxClientName)
	}
	return g, nil
}

func invalidRequest(format string, values ...any) *api.Error {
	return api.Errorf(http.StatusBadRequest, api.ReasonInvalid, "The request to sign in is not valid: "+format+".", values...).
		WithHint("Start again with: wsctl login")
}

// authorization is a request of a client that waits for its code on the same computer (RFC 6749, 4.1; RFC 8252).
type authorization struct {
	grant

	redirectURI, state, challenge string
}

func readAuthorization(q url.Values) (a authorization, err error) {
	if a.grant, err = readGrant(q); err != nil {
		return a, err
	}
	a.redirectURI, a.state, a.challenge = q.Get("redirect_uri"), q.Get("state"), q.Get("code_challenge")
	switch {
	case q.Get("response_type") != "code":
		return a, invalidRequest("response_type must be code")
	case !loopbackURI.MatchString(a.redirectURI):
		return a, invalidRequest("redirect_uri must be http://127.0.0.1:PORT/ or http://[::1]:PORT/")
	case q.Get("code_challenge_method") != "S256" || !challengeForm.MatchString(a.challenge):
		return a, invalidRequest("it needs a code_challenge with the method S256")
	case a.state == "" || len(a.state) > 256:
		return a, invalidRequest("state must have 1 to 256 characters")
	}
	return a, nil
}

// query returns the parameters of the request, for the form of the page.
func (a authorization) query() map[string]string {
	return map[string]string{
		"client_id": clientID, "response_type": "code", "redirect_uri": a.redirectURI, "state": a.state, "code_challenge": a.challenge,
		"code_challenge_method": "S256", "scope": a.scope, "device_name": a.device, "organization": a.organization,
	}
}

// answer returns the address that leads the browser back to the client.
func (a authorization) answer(s *Service, values url.Values) string {
	values.Set("state", a.state)
	values.Set("iss", s.PublicURL) // RFC 9207
	return a.redirectURI + "?" + values.Encode()
}

// showAuthorization asks the person whether a client may act for them. It asks each time.
func (s *Service) showAuthorization(v *visit) error {
	a, err := readAuthorization(v.r.URL.Query())
	if err != nil || !v.requireSession() {
		return err
	}
	data, err := v.describe(a.grant)
	if err != nil {
		return err
	}
	data["Action"], data["Params"], data["Address"] = "/account/authorize", a.query(), auth.Address(v.r)
	return v.show(http.StatusOK, "authorize.html", data)
}

// describe returns what the page says about a grant: who would give it, and for what.
func (v *visit) describe(g grant) (map[string]any, error) {
	var user api.CurrentUser
	if err := v.ask(rest.Query{Row: api.GetUser.Row}, &user); err != nil {
		return nil, err
	}
	scope, err := v.scope(g)
	if err != nil {
		return nil, err
	}
	data := map[string]any{"User": user, "Device": g.device, "Scope": scope}
	if organization := cmp.Or(g.organization, v.access.Organization); organization != "" {
		var o api.Organization
		if err := v.ask(rest.Query{Row: api.GetOrganization.Row, Path: map[string]string{"organizationId": organization}}, &o); err != nil {
			return nil, err
		}
		data["Organization"] = o.Title
	}
	return data, nil
}

// decideAuthorization leads back to the client with a code, or with the refusal of the person.
func (s *Service) decideAuthorization(v *visit) error {
	a, err := readAuthorization(v.r.PostForm)
	if err != nil || !v.requireSession() {
		return err
	}
	if v.formValue("decision") != "allow" {
		v.sendToClient(a.answer(s, url.Values{"error": {"access_denied"}, "error_description": {"The person refused."}}))
		return nil
	}
	made, err := v.approve(a.grant, orgs.LoginApproval{
		Address: s.keptAddress(auth.Address(v.r)), Challenge: a.challenge, RedirectURI: a.redirectURI,
	})
	if err != nil {
		return err
	}
	v.sendToClient(a.answer(s, url.Values{"code": {made.Code}}))
	return nil
}

// approve makes the login of a grant.
func (v *visit) approve(g grant, with orgs.LoginApproval) (made orgs.ApprovedLogin, err error) {
	scope, err := v.scope(g)
	if err != nil {
		return made, err
	}
	with.Client, with.Scopes, with.Organization = g.device, []api.Scope{scope}, g.organization
	return made, v.ask(rest.Query{Row: orgs.ApproveLogin.Row, Body: with}, &made)
}

// sendToClient shows a page that leads the browser to a client on its computer, by a Refresh header and a link. Browsers do not follow
// redirects of forms to addresses that form-action does not allow.
func (v *visit) sendToClient(address string) { v.leave("Go back to the terminal", address) }

// leave shows a page with a title that leads the browser to another address.
func (v *visit) leave(title, address string) {
	v.setHeaders("'none'")
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	v.w.Header().Set("Refresh", "0; url="+address)
	v.w.WriteHeader(http.StatusOK)
	_ = templates.ExecuteTemplate(v.w, "leave.html", map[string]any{"Title": title, "Address": address}) // the client has disconnected
}
