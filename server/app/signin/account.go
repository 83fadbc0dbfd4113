package signin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

// maxClientName is the maximum length of the name of a browser or a device.
const maxClientName = 64

// tokenPages is the number of pages of tokens that the page of an account shows.
const tokenPages = 10

// showSignIn shows the forms to sign in, and the providers of the organization that is asked for.
func (s *Service) showSignIn(v *visit) error {
	next := localAddress(v.r.URL.Query().Get("next"))
	organization := v.r.URL.Query().Get("organization")
	if v.session.Secret != "" && organization == "" {
		v.redirect(next)
		return nil
	}
	if u, err := url.Parse(next); err == nil && organization == "" { // a client asks for a login in one organization
		organization = u.Query().Get("organization")
	}
	data := map[string]any{"Next": next}
	if organization != "" {
		title, links, err := v.providersOf(organization, next)
		if err != nil {
			return err
		}
		data["Organization"], data["Providers"] = title, links
	}
	return v.show(http.StatusOK, "sign-in.html", data)
}

// signIn signs in with a token.
func (s *Service) signIn(v *visit) error {
	token, ok := auth.ParseCredential(v.formValue("token"))
	if !ok {
		if auth.IsSecret(v.formValue("token")) {
			return s.refuseSignIn(v, "That is no token, but an invite: enter it above.")
		}
		return s.refuseSignIn(v, "That is no token: it begins with wsd_ and has three parts more.")
	}
	err := s.startSession(v, token)
	if api.IsReason(err, api.ReasonUnauthenticated) {
		return s.refuseSignIn(v, "This token does not open anything here: it may have ended or have been deleted.")
	}
	if err == nil {
		v.redirect(localAddress(v.formValue("next")))
	}
	return err
}

// refuseSignIn shows the forms again, with the reason.
func (s *Service) refuseSignIn(v *visit, reason string) error {
	return v.show(http.StatusUnprocessableEntity, "sign-in.html", map[string]any{
		"Next": localAddress(v.formValue("next")), "Refusal": reason, "Name": v.formValue("name"),
	})
}

// startSession makes a session from a token and sets its cookie. The session that the browser had before ends.
func (s *Service) startSession(v *visit, token auth.Credential) error {
	var made orgs.Session
	err := s.Rest.Ask(v.r, rest.Query{
		Row: orgs.CreateSession.Row, Token: token,
		Body: orgs.SessionCreate{Client: browserName(v.r.UserAgent()), Address: s.keptAddress(auth.Address(v.r))},
	}, &made)
	if err != nil {
		return err
	}
	s.replaceSession(v, made)
	return nil
}

// replaceSession sets the cookie of a session. The session that the browser had before ends.
func (s *Service) replaceSession(v *visit, made orgs.Session) {
	if v.session.Secret != "" {
		if err := v.ask(rest.Query{Row: orgs.EndSession.Row}, nil); err != nil {
			s.Log.Debug("session before a sign-in not ended", "token", v.session.Token, "error", err)
		}
	}
	s.setCookie(v.w, sessionCookie, made.Session, made.ExpiresAt.Sub(s.Clock()))
	s.setCookie(v.w, formCookie, "", 0)
	v.session, _ = auth.ParseSession(made.Session)
}

// join accepts an invite: for the person who is signed in, or with a name for a new account. The token of a new account is shown once,
// because nothing else signs in to it again.
func (s *Service) join(v *visit) error {
	body := api.InviteAccept{Secret: v.formValue("secret"), DisplayName: v.formValue("name")}
	var accepted api.Accepted
	err := v.ask(rest.Query{Row: api.AcceptInvite.Row, Body: body}, &accepted)
	if e, refused := api.AsError(err); refused && e.Code < http.StatusInternalServerError && e.Code != http.StatusTooManyRequests {
		reason := e.Message
		if len(e.Fields) > 0 {
			reason = ""
		}
		for _, f := range e.Fields {
			reason = strings.TrimSpace(reason + " " + fieldLabel(f.Path) + " " + f.Message + ".")
		}
		if v.session.Secret != "" {
			return api.Errorf(http.StatusUnprocessableEntity, e.Reason, "%s", reason).WithHint("%s", e.Hint)
		}
		return s.refuseSignIn(v, strings.TrimSpace(reason+" "+e.Hint))
	}
	if err != nil {
		return err
	}
	next := localAddress(v.formValue("next"))
	token, isNew := auth.ParseCredential(accepted.Token)
	if !isNew {
		v.redirect(next)
		return nil
	}
	data := map[string]any{"Token": accepted.Token, "User": accepted.User, "Next": next, "URL": s.PublicURL}
	if v.session.Secret != "" { // the invite was to another address than those of the account
		data["Other"] = true
	} else if err := s.startSession(v, token); err != nil {
		s.Log.Warn("no session after an invite", "error", err)
		data["NotSignedIn"] = true
	}
	return v.show(http.StatusOK, "joined.html", data)
}

// fieldLabel returns the label of a field of the form of an invite.
func fieldLabel(path string) string {
	switch path {
	case "secret":
		return "The invite"
	case "displayName":
		return "The name"
	}
	return path
}

// browserName returns a short name of a browser, from its User-Agent header.
func browserName(agent string) string {
	browser := firstNamed(agent, "Edg/=Edge", "OPR/=Opera", "Firefox/=Firefox", "Chrome/=Chrome", "Safari/=Safari")
	system := firstNamed(agent, "Windows=Windows", "Android=Android", "iPhone=iPhone", "iPad=iPad", "Mac OS X=macOS", "Linux=Linux")
	switch {
	case browser == "":
		return api.Shorten(printable(agent), maxClientName-1)
	case system == "":
		return browser
	}
	return browser + " on " + system
}

// printable returns a text without the characters that are not printed.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}

// firstNamed returns the name of the first part that a text contains, or "". The parts have the form part=name.
func firstNamed(text string, parts ...string) string {
	for _, known := range parts {
		if part, name, _ := strings.Cut(known, "="); strings.Contains(text, part) {
			return name
		}
	}
	return ""
}

// showAccount shows the profile, the tokens and the sessions of the person who is signed in.
func (s *Service) showAccount(v *visit) error {
	if !v.requireSession() {
		return nil
	}
	var user api.CurrentUser
	if err := v.ask(rest.Query{Row: api.GetUser.Row}, &user); err != nil {
		return err
	}
	tokens, more, err := v.tokens()
	if err != nil {
		return err
	}
	var organizations api.Page[api.Organization]
	err = v.ask(rest.Query{Row: api.ListOrganizations.Row, Params: url.Values{"limit": {"100"}}}, &organizations)
	refusal, refused := api.AsError(err)
	if err != nil && (!refused || refusal.Code != http.StatusForbidden) {
		return err
	}
	data := map[string]any{
		"User": user, "Organizations": organizations.Items, "Refusal": refusal, "More": more, "URL": s.PublicURL,
	}
	var signedIn, others []api.Token
	for _, t := range tokens {
		if t.Type == "" {
			others = append(others, t)
		} else {
			signedIn = append(signedIn, t)
		}
	}
	data["Bound"] = v.access.IsByProvider
	data["Sessions"], data["Tokens"], data["Current"] = signedIn, others, v.session.Token
	data["MayEnd"] = slices.Contains(v.access.Scopes, api.ScopeAdmin) // tokens that are neither logins nor sessions
	return v.show(http.StatusOK, "account.html", data)
}

// tokens returns the tokens of the person who is signed in that have not expired, and whether there are more.
func (v *visit) tokens() (found []api.Token, more bool, err error) {
	params := url.Values{"limit": {"100"}}
	for range tokenPages {
		var page api.Page[api.Token]
		if err := v.ask(rest.Query{Row: api.ListTokens.Row, Params: params}, &page); err != nil {
			return nil, false, err
		}
		for _, t := range page.Items {
			if t.ExpiresAt.IsZero() || t.ExpiresAt.After(v.service.Clock()) {
				found = append(found, t)
			}
		}
		if page.Next == nil {
			return found, false, nil
		}
		params.Set("page", page.Next.Page)
	}
	return found, true, nil
}

// signOut ends the session of the browser.
func (s *Service) signOut(v *visit) error {
	return s.endSessions(v, orgs.SessionEnd{})
}

// endAll ends all sessions and logins. Tokens that were made in another way stay.
func (s *Service) endAll(v *visit) error {
	return s.endSessions(v, orgs.SessionEnd{All: true})
}

// endSessions ends the session of the browser and, if asked, others.
func (s *Service) endSessions(v *visit, with orgs.SessionEnd) error {
	if v.session.Secret != "" {
		err := v.ask(rest.Query{Row: orgs.EndSession.Row, Body: with}, nil)
		if err != nil && !api.IsReason(err, api.ReasonNotFound) && !api.IsReason(err, api.ReasonUnauthenticated) {
			return err
		}
	}
	s.setCookie(v.w, sessionCookie, "", 0)
	v.redirect("/account/sign-in")
	return nil
}

// changeProfile changes the name of the person who is signed in.
func (s *Service) changeProfile(v *visit) error {
	if !v.requireSession() {
		return nil
	}
	err := v.ask(rest.Query{
		Row: api.UpdateUser.Row, Path: map[string]string{"userId": v.session.User},
		Body: map[string]string{"displayName": v.formValue("name")},
	}, nil)
	if err == nil {
		v.redirect("/account")
	}
	return err
}

// endToken ends a token, a login or a session.
func (s *Service) endToken(v *visit) error {
	if !v.requireSession() {
		return nil
	}
	id := v.formValue("token")
	if id == v.session.Token {
		return s.signOut(v)
	}
	err := v.ask(rest.Query{Row: orgs.EndSession.Row, Body: orgs.SessionEnd{Token: id}}, nil)
	if api.IsReason(err, api.ReasonNotFound) { // neither a login nor a session
		err = v.ask(rest.Query{Row: api.DeleteToken.Row, Path: map[string]string{"tokenId": id}}, nil)
	}
	if api.IsReason(err, api.ReasonNotFound) { // ended before
		err = nil
	}
	if err == nil {
		v.redirect("/account")
	}
	return err
}
