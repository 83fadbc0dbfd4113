package cors

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Origins are the origins whose pages may use the API.
type Origins []string

// Parse parses origins separated by commas, as in WSD_CORS_ORIGINS. The error quotes the invalid part.
func Parse(text string) (Origins, error) {
	var origins Origins
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := checkOrigin(part); err != nil {
			return nil, err
		}
		if !slices.Contains(origins, part) {
			origins = append(origins, part)
		}
	}
	return origins, nil
}

// checkOrigin returns an error unless text is an origin as browsers send it.
func checkOrigin(text string) error {
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "*"):
		return fmt.Errorf("%q has a wildcard: list each origin, such as https://app.example.com", text)
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || !isASCII(text):
		return fmt.Errorf("%q is not an origin such as https://app.example.com or http://localhost:3000", text)
	case u.User != nil:
		return fmt.Errorf("%q has a user: an origin is a scheme and a host with an optional port", u.Redacted())
	case u.Path != "" || strings.ContainsAny(text, "?#"):
		return fmt.Errorf("%q has a path: an origin is a scheme and a host with an optional port", text)
	}
	if _, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && err != nil {
		return fmt.Errorf("%q has no port from 1 to 65535", text)
	}
	if sent := browserOrigin(u); text != sent {
		return fmt.Errorf("%q is not an origin as browsers send it: write %s", text, sent)
	}
	return nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// browserOrigin returns the origin of an address as browsers send it: in lower case, without the default port of the scheme.
func browserOrigin(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Host), ":"+u.Port())
	port, _ := strconv.ParseUint(u.Port(), 10, 16)
	if isDefault := u.Scheme == "https" && port == 443 || u.Scheme == "http" && port == 80; port != 0 && !isDefault {
		host += ":" + strconv.FormatUint(port, 10)
	}
	return u.Scheme + "://" + host
}
