package client

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// masked stands in messages and in the log in the place of a secret, as in url.URL.Redacted.
const masked = "xxxxx"

// credentialPrefixes are the beginnings of tokens, of secrets of invites, and of secrets of logins and sessions. An operation may have
// one in its path.
var credentialPrefixes = []string{"wsd_", "wsi_", "wsl_", "wsr_", "wsc_", "wss_", "wsv_"}

// maskedPath returns an escaped path with its credentials masked.
func maskedPath(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		text, err := url.PathUnescape(segment)
		isCredential := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
		if err != nil || slices.ContainsFunc(credentialPrefixes, isCredential) {
			segments[i] = masked
		}
	}
	return strings.Join(segments, "/")
}

// MaskedPath returns the path of the request with its credentials masked, for messages.
func (r Request) MaskedPath() string { return maskedPath(r.Path) }

// maskedURL returns a URL without its password, the credentials in its path, and the values of the query parameters that are secret
// in some operation.
func maskedURL(u *url.URL) string {
	shown := *u
	if query := u.Query(); len(query) > 0 {
		for _, name := range api.SecretParams() {
			if query.Has(name) {
				query.Set(name, masked)
			}
		}
		shown.RawQuery = query.Encode()
	}
	shown.RawPath = maskedPath(u.EscapedPath())
	shown.Path, _ = url.PathUnescape(shown.RawPath) // escaped segments, or the mask
	return shown.Redacted()
}

// logged is a URL whose text is maskedURL, computed only if it is logged.
type logged struct{ *url.URL }

// LogValue implements slog.LogValuer.
func (l logged) LogValue() slog.Value { return slog.StringValue(maskedURL(l.URL)) }
