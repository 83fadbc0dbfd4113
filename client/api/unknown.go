package api

import (
	"net/http"
	"net/url"
	"strings"
)

// Headers for requests with unknown parameters or fields: PreferHeader of a request asks the server to ignore them; the
// response has the applied preference (RFC 7240) and the ignored names.
const (
	PreferHeader            = "Prefer"
	PreferenceAppliedHeader = "Preference-Applied"
	IgnoredHeader           = "X-Ignored"
	// Lenient is the value of PreferHeader that asks to ignore unknown parameters and fields.
	Lenient = "handling=lenient"
)

// maxIgnoredBytes is the maximum length of IgnoredHeader, so that no proxy rejects the response.
const maxIgnoredBytes = 2048

// Unknown collects the parameters and fields of a request that the contract does not have. The zero value is ready to
// use.
type Unknown struct {
	names     []string // percent-encoded
	bytes     int
	truncated bool // there are more than are listed
}

// Add records the name of a parameter or the path of a field, up to the maximum number of violations.
func (u *Unknown) Add(name string, limits Limits) {
	name = url.PathEscape(name)
	if limits.Violations > 0 && len(u.names) >= limits.Violations || u.bytes+len(name) > maxIgnoredBytes {
		u.truncated = true
		return
	}
	u.names, u.bytes = append(u.names, name), u.bytes+len(name)+2
}

// Header returns the percent-encoded names separated by commas, followed by "..." if there are more; "" for none.
func (u *Unknown) Header() string {
	names := strings.Join(u.names, ", ")
	switch {
	case !u.truncated:
		return names
	case names == "":
		return "..."
	}
	return names + ", ..."
}

// PrefersLenient reports whether a request asks to ignore unknown parameters and fields.
func PrefersLenient(header http.Header) bool {
	for _, value := range header.Values(PreferHeader) {
		for preference := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(preference, ";")
			name, as, _ := strings.Cut(name, "=")
			if strings.EqualFold(strings.TrimSpace(name), "handling") {
				return strings.Trim(strings.TrimSpace(as), `"`) == "lenient" // only the first handling preference applies
			}
		}
	}
	return false
}
