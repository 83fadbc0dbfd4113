package api

import "regexp"

// Patterns are the patterns that fields name in their `pattern` tag (interface, Limits).
var Patterns = map[string]*regexp.Regexp{
	"id":   regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"slug": regexp.MustCompile(`^[^/?#\\\s]+$`),
}
