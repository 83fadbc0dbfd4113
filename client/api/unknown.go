package api

import (
	"net/http"
	"net/url"
	"strings"
)

// Of a request that is ahead of the server: the header that asks to ignore what the server does not know, the one that
// says that this was done (RFC 7240), and the one that says what was ignored.
const (
	PreferHeader            = "Prefer"
	PreferenceAppliedHeader = "Preference-Applied"
	IgnoredHeader           = "X-Ignored"
	// Lenient is the preference that PreferHeader has for it.
	Lenient = "handling=lenient"
)

// maxIgnoredBytes is how long IgnoredHeader gets at most, so that no proxy refuses the answer.
const maxIgnoredBytes = 2048

// Unknown is the parameters and fields of a request that the contract does not have. The zero value is ready to use.
type Unknown struct {
	names []string // percent-encoded
	bytes int
	more  bool // there are more than are named
}

// Add notes the name of a parameter, or the path of a field. As many are named as violations are listed.
func (u *Unknown) Add(name string, limits Limits) {
	name = url.PathEscape(name)
	if limits.Violations > 0 && len(u.names) >= limits.Violations || u.bytes+len(name) > maxIgnoredBytes {
		u.more = true
		return
	}
	u.names, u.bytes = append(u.names, name), u.bytes+len(name)+2
}

// Header is the names, percent-encoded and with a comma between them, then "..." if there are more; "" for none.
func (u *Unknown) Header() string {
	names := strings.Join(u.names, ", ")
	switch {
	case !u.more:
		return names
	case names == "":
		return "..."
	}
	return names + ", ..."
}

// PrefersLenient reports whether a request asks to ignore what the server does not know.
func PrefersLenient(header http.Header) bool {
	for _, value := range header.Values(PreferHeader) {
		for preference := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(preference, ";")
			name, as, _ := strings.Cut(name, "=")
			if strings.EqualFold(strings.TrimSpace(name), "handling") {
				return strings.Trim(strings.TrimSpace(as), `"`) == "lenient" // the first one counts
			}
		}
	}
	return false
}
