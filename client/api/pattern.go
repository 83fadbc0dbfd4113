package api

import "regexp"

// Patterns maps the names used in `pattern` tags to regular expressions.
var Patterns = map[string]*regexp.Regexp{
	"id":          regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
	"optionalID":  regexp.MustCompile(`^[A-Za-z0-9_-]*$`),
	"variable":    regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`),
	"slug":        regexp.MustCompile(`^[^/?#\\\s]+$`),
	"specSlug":    regexp.MustCompile(`^[a-z0-9]+(?:-[a-z0-9]+)*$`),
	"hostname":    regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$`),
	"domain":      regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`),
	"subdomain":   regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$`),
	"proxy":       regexp.MustCompile(`^([\w-]+\.)*[\w-]+\.[a-zA-Z]{2,}(\/[\w-]+)+$`),
	"integration": regexp.MustCompile(`^[a-zA-Z0-9-_.]+$`),
	"color":       regexp.MustCompile(`^#(?:[0-9a-fA-F]{3}){1,2}$`),
	"commit":      regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`),
	"https":       regexp.MustCompile(`^https://[^\s]+$`),
	"link":        regexp.MustCompile(`^(?:https?://|mailto:|tel:)[^\s]+$`),
}
