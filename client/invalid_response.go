package client

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// InvalidResponseError reports an answer that wsd does not give: that of another program at its address, such as a
// proxy or a login page, or one that violates the contract.
type InvalidResponseError struct {
	URL       string // of the server, without credentials
	Status    int    // HTTP status; 0 if the answer is not HTTP
	MediaType string // of the response
	Location  string // target of a redirect, without its query
	Err       error  // what is wrong with the response
}

// Error implements error.
func (e *InvalidResponseError) Error() string {
	switch e.Status {
	case 0:
		return fmt.Sprintf("%s answers, but %v", e.URL, e.Err)
	case http.StatusProxyAuthRequired:
		return fmt.Sprintf("a proxy on the way to %s asks for a password (%d)", e.URL, e.Status)
	}
	return fmt.Sprintf("%s answers, but it is not wsd (%d, %v)", e.URL, e.Status, e.Err)
}

// Unwrap returns what is wrong with the response.
func (e *InvalidResponseError) Unwrap() error { return e.Err }

// IsWebPage reports whether the response is a web page.
func (e *InvalidResponseError) IsWebPage() bool { return e.MediaType == "text/html" }

// CertificateError reports that the certificate of the server is not accepted. Nothing was sent.
type CertificateError struct {
	URL string // of the server, without credentials
	Err error
}

// Error implements error.
func (e *CertificateError) Error() string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](e.Err); ok {
		return fmt.Sprintf("the certificate of %s is from an authority that this computer does not trust", e.URL)
	}
	if other, ok := errors.AsType[x509.HostnameError](e.Err); ok {
		return fmt.Sprintf("the certificate of %s is for other names: %s", e.URL, strings.Join(certificateNames(other.Certificate), ", "))
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](e.Err); ok && invalid.Reason == x509.Expired {
		return fmt.Sprintf("the certificate of %s is valid from %s to %s, and this computer has another time", e.URL,
			invalid.Cert.NotBefore.Format(time.DateOnly), invalid.Cert.NotAfter.Format(time.DateOnly))
	}
	return fmt.Sprintf("the certificate of %s is not accepted: %v", e.URL, e.Err)
}

// Unwrap returns the cause.
func (e *CertificateError) Unwrap() error { return e.Err }

// certificateNames returns the hosts and addresses that a certificate is for.
func certificateNames(c *x509.Certificate) []string {
	names := c.DNSNames
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		names = append(names, "none")
	}
	return names
}

var (
	errEmptyBody  = errors.New("an empty answer")
	errOtherJSON  = errors.New("JSON of another program")
	errNoTLS      = errors.New("without TLS")
	errNotHTTP    = errors.New("not with HTTP")
	errProxyLogin = errors.New("the proxy asks for a password")
)

// newConnectionError returns the error of a request without a response: a *CertificateError or an
// *InvalidResponseError if something has answered, and otherwise a *TransportError.
func newConnectionError(base string, err error) error {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case untrusted:
		return &CertificateError{URL: redact(base), Err: err}
	case plain, errors.Is(err, http.ErrSchemeMismatch):
		return &InvalidResponseError{URL: redact(base), Err: errNoTLS}
	case errors.Is(err, errProxyLogin):
		return &InvalidResponseError{URL: redact(base), Status: http.StatusProxyAuthRequired, Err: errProxyLogin}
	case strings.Contains(err.Error(), "malformed HTTP"): // net/http has no type for it
		return &InvalidResponseError{URL: redact(base), Err: errNotHTTP}
	}
	return newTransportError(base, err)
}

// redact returns an address without its password.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Redacted()
}

// newInvalidResponseError returns the error of a response that is not as wsd gives it. err says what is wrong with its
// JSON, if the rest is right.
func newInvalidResponseError(base string, r Response, err error) error {
	media, _, _ := mime.ParseMediaType(cmp.Or(r.Header.Get("Content-Type"), http.DetectContentType(r.Body))) // "" if it is malformed
	e := &InvalidResponseError{URL: redact(base), Status: r.Status, MediaType: media, Err: err}
	location, locationErr := url.Parse(r.Location())
	switch {
	case r.Status >= 300 && r.Status < 400 && r.Location() != "" && locationErr == nil:
		location.RawQuery, location.Fragment = "", ""
		e.Location = maskedURL(location)
		e.Err = fmt.Errorf("a redirect to %s", e.Location)
	case r.Status == http.StatusProxyAuthRequired:
		e.Err = errProxyLogin
	case e.IsWebPage():
		e.Err = errors.New("an HTML page")
	case len(bytes.TrimSpace(r.Body)) == 0:
		e.Err = errEmptyBody
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Err = fmt.Errorf("JSON that ends early: %w", io.ErrUnexpectedEOF)
	case json.Valid(r.Body):
		e.Err = errOtherJSON
	default:
		e.Err = fmt.Errorf("%s instead of JSON", cmp.Or(media, "an unknown type"))
	}
	return e
}

// checkSuccess returns an *InvalidResponseError unless r has the form of a success of req: JSON with members of the output,
// the text that the row offers instead, or no body if the row has none.
func checkSuccess(base string, req Request, dryRun bool, r Response) error {
	if isText(r, req.Text) {
		return nil
	}
	none := req.Out == reflect.TypeFor[api.None]()
	if len(r.Body) == 0 {
		isEmpty := r.Status == http.StatusNoContent || r.Status == http.StatusResetContent
		if req.Method == http.MethodHead || isEmpty && (none || req.Out == nil || dryRun) {
			return nil
		}
		return newInvalidResponseError(base, r, errEmptyBody)
	}
	var body json.RawMessage
	if err := json.Unmarshal(r.Body, &body); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset == int64(len(r.Body)) {
			err = fmt.Errorf("%w: %w", err, io.ErrUnexpectedEOF)
		}
		return newInvalidResponseError(base, r, err)
	}
	if none && !dryRun || !none && !hasMembersOf(req.Out, r.Body) {
		return newInvalidResponseError(base, r, errOtherJSON)
	}
	return nil
}

// hasMembersOf reports whether valid JSON may be a value of out: an object with at least one member of out, and with the
// items if out is a list. Types that decode themselves, and nil, allow everything.
func hasMembersOf(out reflect.Type, body []byte) bool {
	if out == nil || out.Kind() != reflect.Struct || reflect.PointerTo(out).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return true
	}
	members := map[string]json.RawMessage{}
	if json.Unmarshal(body, &members) != nil {
		return false
	}
	if _, isList := out.FieldByName("Items"); isList {
		return members["items"] != nil
	}
	for _, f := range reflect.VisibleFields(out) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if members[name] != nil {
			return true
		}
	}
	return len(members) == 0
}
