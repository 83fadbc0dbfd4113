package signin

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

//go:embed pages/*.html pages/style.css
var files embed.FS

// templates are the pages, by the name of their file.
var templates = template.Must(template.ParseFS(files, "pages/*.html"))

// maxFormBytes is the maximum size of a form.
const maxFormBytes = 16 << 10

// visit is a request of a browser.
type visit struct {
	service *Service
	w       http.ResponseWriter
	r       *http.Request
	session auth.Credential    // zero if nobody is signed in
	access  orgs.SessionAccess // of the session
	ended   bool               // the browser has a session that opens nothing any more
}

// page returns a handler that shows a page.
func (s *Service) page(show func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{service: s, w: w, r: r}
		if address := s.publicAddress(r); address != "" {
			v.redirect(address)
			return
		}
		err := v.open()
		if err == nil {
			err = show(v)
		}
		if err != nil {
			v.showError(err)
		}
	}
}

// publicAddress returns the address of a page that was asked for under another name of this machine than that of the server, or "".
// Browsers send cookies to all ports of a host, so that another server there, such as one that shows sites, has the other name for itself.
func (s *Service) publicAddress(r *http.Request) string {
	public, err := url.Parse(s.PublicURL)
	asked := (&url.URL{Host: r.Host}).Hostname()
	if err != nil || !isRead(r) || !isLoopback(public.Hostname()) || !isLoopback(asked) || asked == public.Hostname() {
		return ""
	}
	public.Path, public.RawQuery = r.URL.Path, r.URL.RawQuery
	return public.String()
}

// isRead reports whether a request is for a page, and not a form.
func isRead(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// open identifies the session of the browser. One that has ended is forgotten.
func (v *visit) open() error {
	if reason := v.service.unsafeReason(); reason != "" {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "%s", reason).
			WithHint("Use a token in a terminal: wsctl login --with-token")
	}
	session, ok := auth.ParseSession(v.service.cookie(v.r, sessionCookie))
	if !ok {
		return nil
	}
	v.session = session
	err := v.ask(rest.Query{Row: orgs.GetSession.Row}, &v.access)
	if api.IsReason(err, api.ReasonUnauthenticated) {
		v.session, v.ended = auth.Credential{}, true
		v.service.setCookie(v.w, sessionCookie, "", 0)
		return nil
	}
	if err != nil {
		v.session = auth.Credential{}
	}
	return err
}

// form returns a handler of a form. The form has to come from a page of this server that the same browser got.
func (s *Service) form(act func(*visit) error) http.HandlerFunc {
	return s.page(func(v *visit) error {
		if err := s.origins.Check(v.r); err != nil {
			return foreignForm()
		}
		v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxFormBytes)
		if err := v.r.ParseForm(); err != nil {
			return api.Errorf(http.StatusBadRequest, api.ReasonInvalid, "The form cannot be read.")
		}
		if v.ended {
			v.redirect(v.signInAddress())
			return nil
		}
		if !isFormToken(s.formKey(v.r, v.session), v.r.PostForm.Get(formField)) {
			return foreignForm()
		}
		return act(v)
	})
}

func foreignForm() *api.Error {
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This form was not sent from a current page of this server.").
		WithHint("Nothing was changed. Go back, load the page again, and send it once more.")
}

// ask runs an operation as the person who is signed in, or as nobody.
func (v *visit) ask(q rest.Query, out any) error {
	q.Session = v.session
	return v.service.Rest.Ask(v.r, q, out)
}

// formValue returns a field of the form without the space around it.
func (v *visit) formValue(name string) string { return strings.TrimSpace(v.r.PostForm.Get(name)) }

// show writes a page.
func (v *visit) show(status int, name string, data map[string]any) error {
	if data == nil {
		data = map[string]any{}
	}
	data["FormToken"] = formToken(v.service.keepFormKey(v.w, v.r, v.session))
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	v.setHeaders("'self'")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(page.Bytes()) // the client has disconnected
	return nil
}

// setHeaders sets the headers of a page whose forms may be sent to the given sources, and whose answer may lead to them.
func (v *visit) setHeaders(formAction string) {
	h := v.w.Header()
	rest.BaseHeaders(h, v.service.Rest.RequestID(v.r))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action "+formAction)
}

// showError writes the page of an error. A session that has just ended leads to the sign-in.
func (v *visit) showError(err error) {
	e := rest.PublicError(err)
	if e.Code == http.StatusUnauthorized && v.session.Secret != "" {
		v.service.setCookie(v.w, sessionCookie, "", 0)
		v.session = auth.Credential{}
		v.redirect(v.signInAddress())
		return
	}
	if e.Code >= http.StatusInternalServerError {
		v.service.Log.Warn("page failed", "path", v.r.URL.Path, "error", err)
	}
	if failed := v.show(e.Code, "error.html", map[string]any{"Message": e.Message, "Hint": e.Hint, "Fields": e.Fields}); failed != nil {
		v.service.Rest.Refuse(v.w, v.r, rest.PublicError(failed))
	}
}

// signInAddress returns the address of the sign-in that leads back to this page, or to the question of which this is the form.
func (v *visit) signInAddress() string {
	next := v.r.URL.RequestURI()
	switch {
	case isRead(v.r):
	case v.r.URL.Path == "/account/authorize":
		q := maps.Clone(v.r.PostForm)
		q.Del(formField)
		q.Del("decision")
		next = v.r.URL.Path + "?" + q.Encode()
	default:
		next = "/account"
	}
	return "/account/sign-in?" + url.Values{"next": {next}}.Encode()
}

// requireSession redirects to the sign-in if nobody is signed in.
func (v *visit) requireSession() (ok bool) {
	if v.session.Secret == "" {
		v.redirect(v.signInAddress())
		return false
	}
	return true
}

// redirect leads to a page of this server.
func (v *visit) redirect(address string) {
	v.w.Header().Set("Cache-Control", "no-store")
	v.w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(v.w, v.r, address, http.StatusSeeOther)
}

// localAddress returns an address of a page of an account, or /account if the text is none. A sign-in leads nowhere else.
func localAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Fragment != "" || strings.ContainsAny(text, "\\\r\n\t") ||
		(u.Path != "/account" && !strings.HasPrefix(u.Path, "/account/")) || strings.Contains(u.Path, "..") {
		return "/account"
	}
	return u.RequestURI()
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	data, err := files.ReadFile("pages/style.css")
	if err != nil {
		http.Error(w, "", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(data) // the client has disconnected
}
