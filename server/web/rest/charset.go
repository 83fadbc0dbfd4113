package rest

import (
	"slices"
	"strings"

	"golang.org/x/net/html/charset"
)

// isUTF8 reports whether the parameters of a media type name no other charset than UTF-8, of which US-ASCII is a part.
func isUTF8(params map[string]string) bool {
	name, ok := params["charset"]
	return !ok || slices.Contains([]string{"utf-8", "utf8", "us-ascii"}, strings.ToLower(name))
}

// canDecode reports whether imports decode content of a media type with the parameters. They convert texts from the charsets of
// browsers.
func canDecode(media string, params map[string]string) bool {
	if isUTF8(params) || !strings.HasPrefix(media, "text/") {
		return isUTF8(params)
	}
	encoding, name := charset.Lookup(params["charset"])
	return encoding != nil && name != "replacement" // the name of charsets that browsers refuse
}
