package main

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// rowVariable returns the name of the variable of row: ListChangeRequestReviewers for change-requests.list-reviewers.
// Only a list and a stream are in the plural.
func rowVariable(row api.Row) string {
	first, rest, _ := strings.Cut(row.Verb(), "-")
	resource := goName(row.Resource())
	if row.Verb() != "list" && !row.Stream {
		resource = singular(resource)
	}
	return goName(first) + resource + goName(rest)
}

func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

// goName converts a part of the name of a row to a Go name: saml-providers to SAMLProviders.
func goName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		switch word {
		case "":
		case "oidc", "saml", "sso":
			b.WriteString(strings.ToUpper(word))
		case "openapi":
			b.WriteString("OpenAPI")
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}
