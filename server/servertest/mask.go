package servertest

import (
	"regexp"
	"strings"
)

// randomValues matches values that differ between equal worlds: secrets and their hashes, ids of stream entries, and the
// time of Redis in microseconds.
var randomValues = regexp.MustCompile(strings.Join([]string{
	`\b1\d{15}\b`,
	`\b1\d{12}-\d+\b`,
	`\b[0-9a-f]{64}\b`,
	`\b1\.[A-Za-z0-9_-]{40,}`,
	`-----BEGIN.*?-----END[A-Z ]*-----`,
	`\b[A-Z2-7]{26}\b`,
	`\b(wsd|wsi)_[A-Za-z0-9_]+`,
	`\\?"(token|secret|key|hash|privateKey|requestId)\\?":\\?"[^"]*"`,
}, "|"))

// MaskRandom replaces the values that differ between equal worlds.
func MaskRandom(data []byte) string { return randomValues.ReplaceAllString(string(data), "?") }
