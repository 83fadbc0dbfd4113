package api

import (
	"net/url"
	"slices"
	"strings"
)

// IssuerReason returns why a text cannot be the issuer of an OIDC provider, or "". An issuer is a URL with https, or with http on
// the loopback host, and has a host, no user, no query and no fragment.
func IssuerReason(issuer string) string {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || !u.IsAbs() || u.Hostname() == "":
		return "must be an absolute URL as in https://id.example.com"
	case u.Scheme != "https" && u.Scheme != "http":
		return "must begin with https://"
	case u.Scheme == "http" && !IsLoopbackHost(u.Hostname()):
		return "must begin with https://; http:// is for 127.0.0.1, ::1 and localhost only"
	case u.User != nil:
		return "must not have a user or password"
	case strings.Contains(issuer, "?"):
		return "must not have a query: remove the text from ? on"
	case strings.Contains(issuer, "#"):
		return "must not have a fragment: remove the text from # on"
	}
	return ""
}

// IsLoopbackHost reports whether a host is one of the names of the machine itself: 127.0.0.1, ::1 and localhost.
func IsLoopbackHost(host string) bool {
	return slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, strings.ToLower(host))
}

// sharedTenants are the segments of paths of issuers at which accounts of any tenant sign in. The last is the tenant of the
// personal accounts of Microsoft.
var sharedTenants = []string{"common", "organizations", "consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"}

// sharedIssuers are the hosts at which everybody can have an account, whatever the path.
var sharedIssuers = []string{
	"access.line.me", "accounts.google.com", "api.login.yahoo.com", "appleid.apple.com", "auth.atlassian.com", "discord.com",
	"facebook.com", "github.com", "gitlab.com", "id.twitch.tv", "limited.facebook.com", "linkedin.com", "login.salesforce.com",
	"paypal.com", "slack.com", "www.facebook.com", "www.linkedin.com", "www.paypal.com",
}

// SharedIssuerReason returns why the e-mail addresses of an issuer cannot be taken as verified: other people than those of one
// tenant sign in there, and some may enter an address that is not theirs. It returns "" for an issuer of one tenant, and for a
// text that IssuerReason refuses.
func SharedIssuerReason(issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return ""
	}
	if slices.Contains(sharedIssuers, strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")) {
		return "everybody can have an account at " + u.Hostname() +
			", so its e-mail addresses count only where it says that they are verified"
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if slices.Contains(sharedTenants, strings.ToLower(segment)) {
			return "accounts of any tenant sign in at an issuer with /" + segment +
				"/, and nobody checks their e-mail addresses; enter the issuer of your own tenant"
		}
	}
	return ""
}
