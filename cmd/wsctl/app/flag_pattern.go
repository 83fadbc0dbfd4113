package app

import (
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
)

// patternWords returns what a pattern of the contract allows, in words.
func patternWords(pattern string) string {
	switch pattern {
	case "id", "optionalID":
		return "an id"
	case "variable":
		return "letters, digits, - and _, the first a letter or _"
	case "slug":
		return "a part of an address, without spaces, /, ?, # and \\"
	case "specSlug":
		return "lower-case letters and digits, with single hyphens between them"
	case "hostname":
		return "a hostname such as docs.example.com, in lower case"
	case "domain":
		return "a domain such as example.com, in lower case"
	case "subdomain":
		return "3 to 32 lower-case letters, digits and hyphens, without a hyphen at the ends"
	case "proxy":
		return "a hostname and a path, such as example.com/docs"
	case "integration":
		return "letters, digits, -, _ and ."
	case "color":
		return "a colour such as #3366cc"
	case "commit":
		return "40 or 64 hexadecimal digits, in lower case"
	case "https":
		return "an address with https://"
	case "link":
		return "an address with https://, http://, mailto: or tel:"
	}
	return ""
}

// violationMessage returns the message of a violation, with words in the place of a regular expression.
func violationMessage(violation api.FieldError, s *api.Schema, text string) string {
	if words := patternWords(s.Pattern); words != "" && strings.HasPrefix(violation.Message, "must match ") {
		return fmt.Sprintf("must be %s, not %q", words, text)
	}
	return violation.Message
}
