package main

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// variable is the name of the variable that holds a row: change-requests.list-reviewers is
// ListChangeRequestReviewers. A list takes the plural.
func variable(row api.Row) string {
	first, rest, _ := strings.Cut(row.Verb(), "-")
	resource := camel(row.Resource())
	if row.Verb() != "list" {
		resource = singular(resource)
	}
	return camel(first) + resource + camel(rest)
}

func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

// camel turns a part of a row's name into a Go name: saml-providers into SAMLProviders.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		switch word {
		case "":
		case "saml", "sso":
			b.WriteString(strings.ToUpper(word))
		case "openapi":
			b.WriteString("OpenAPI")
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
