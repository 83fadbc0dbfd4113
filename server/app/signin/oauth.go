package signin

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/rest"
)

// Types of grants that the token endpoint takes.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// serveMetadata describes the OAuth endpoints (RFC 8414).
func (s *Service) serveMetadata(w http.ResponseWriter, r *http.Request) {
	s.oauth(w, r).answer(map[string]any{
		"issuer": s.PublicURL, "authorization_endpoint": s.PublicURL + "/account/authorize", "token_endpoint": s.PublicURL + "/oauth/token",
		"device_authorization_endpoint": s.PublicURL + "/oauth/device", "revocation_endpoint": s.PublicURL + "/oauth/revoke",
		"scopes_supported": api.Scope("").Values(), "response_types_supported": []string{"code"},
		"grant_types_supported": []string{grantCode, grantRefresh, grantDevice}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "revocation_endpoint_auth_methods_supported": []string{"none"},
		"authorization_response_iss_parameter_supported": true,
	})
}

// oauthCall is a request of a client.
type oauthCall struct {
	service *Service
	w       http.ResponseWriter
	r       *http.Request
}

func (s *Service) oauth(w http.ResponseWriter, r *http.Request) *oauthCall {
	return &oauthCall{service: s, w: w, r: r}
}

// parse reads the form of the request. It answers and returns false if the form or its client is not valid.
func (a *oauthCall) parse() bool {
	a.r.Body = http.MaxBytesReader(a.w, a.r.Body, maxFormBytes)
	if err := a.r.ParseForm(); err != nil {
		a.fail(http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return false
	}
	for name, values := range a.r.PostForm {
		if len(values) > 1 {
			a.fail(http.StatusBadRequest, "invalid_request", "A parameter is given twice: "+api.Shorten(name, maxClientName)+".")
			return false
		}
	}
	if a.r.PostForm.Get("client_id") != clientID {
		a.fail(http.StatusUnauthorized, "invalid_client", "client_id must be "+clientID+".")
		return false
	}
	return true
}

// answer writes a success.
func (a *oauthCall) answer(values map[string]any) { a.write(http.StatusOK, values) }

func (a *oauthCall) write(status int, values map[string]any) {
	data, err := json.Marshal(values)
	if err != nil {
		a.service.Rest.Refuse(a.w, a.r, rest.PublicError(err))
		return
	}
	h := a.w.Header()
	rest.BaseHeaders(h, a.service.Rest.RequestID(a.r))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json; charset=utf-8")
	a.w.WriteHeader(status)
	_, _ = a.w.Write(data) // the client has disconnected
}

// fail writes an error (RFC 6749, 5.2).
func (a *oauthCall) fail(status int, code, description string) {
	a.write(status, map[string]any{"error": code, "error_description": description})
}

// refuse writes the error of an operation.
func (a *oauthCall) refuse(err error) {
	e := rest.PublicError(err)
	if e.RetryAfter > 0 {
		a.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Round(time.Second)/time.Second)))
	}
	switch {
	case e.Code == http.StatusUnauthorized:
		a.fail(http.StatusBadRequest, "invalid_grant", e.Message)
	case e.Code == http.StatusTooManyRequests || e.Code >= http.StatusInternalServerError:
		a.fail(e.Code, "temporarily_unavailable", e.Message)
	default:
		a.fail(http.StatusBadRequest, "invalid_request", e.Message)
	}
}

// serveToken gives a client its secrets.
func (s *Service) serveToken(w http.ResponseWriter, r *http.Request) {
	a := s.oauth(w, r)
	if !a.parse() {
		return
	}
	form := r.PostForm
	switch form.Get("grant_type") {
	case grantCode:
		if form.Get("code_verifier") == "" || form.Get("redirect_uri") == "" {
			a.fail(http.StatusBadRequest, "invalid_request", "code_verifier and redirect_uri are needed.")
			return
		}
		a.completeLogin(orgs.LoginCreate{
			Code: form.Get("code"), Verifier: form.Get("code_verifier"), RedirectURI: form.Get("redirect_uri"),
		})
	case grantRefresh:
		a.sendSecrets(rest.Query{Row: orgs.RenewLogin.Row, Body: orgs.LoginSecret{Secret: form.Get("refresh_token")}})
	case grantDevice:
		s.pollDevice(r.Context(), a)
	default:
		a.fail(http.StatusBadRequest, "unsupported_grant_type", "grant_type must be one of: "+
			strings.Join([]string{grantCode, grantRefresh, grantDevice}, ", ")+".")
	}
}

// completeLogin exchanges a code for the secrets of its login.
func (a *oauthCall) completeLogin(in orgs.LoginCreate) {
	a.sendSecrets(rest.Query{Row: orgs.CreateLogin.Row, Body: in})
}

// sendSecrets answers with the secrets that an operation returns.
func (a *oauthCall) sendSecrets(q rest.Query) {
	var made orgs.LoginSecrets
	if err := a.service.Rest.Ask(a.r, q, &made); err != nil {
		a.refuse(err)
		return
	}
	scopes := make([]string, len(made.Scopes))
	for i, scope := range made.Scopes {
		scopes[i] = string(scope)
	}
	values := map[string]any{
		"access_token": made.Access, "token_type": "Bearer", "refresh_token": made.Refresh, "scope": strings.Join(scopes, " "),
		"expires_in": int(made.AccessUntil.Sub(a.service.Clock()).Seconds()),
	}
	if made.Organization != "" {
		values["organization"] = made.Organization
	}
	a.answer(values)
}

// serveRevocation ends the login of a refresh secret (RFC 7009). One that opens nothing is no error.
func (s *Service) serveRevocation(w http.ResponseWriter, r *http.Request) {
	a := s.oauth(w, r)
	if !a.parse() {
		return
	}
	text := r.PostForm.Get("token")
	if text != "" {
		if err := s.Rest.Ask(r, rest.Query{Row: orgs.EndLogin.Row, Body: orgs.LoginSecret{Secret: text}}, nil); err != nil {
			a.refuse(err)
			return
		}
	}
	a.answer(map[string]any{})
}
