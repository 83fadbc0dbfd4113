package auth

import (
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// opening is what a scope of an integration opens to the tokens of its installations: rows, or resources as a whole, as
// far as they read, or write.
type opening struct {
	scope  api.IntegrationScope
	writes bool
	rows   []string
}

// openings are what the scopes open. What no scope names is closed; those that are not here open the row of a space alone,
// or nothing: they are about what wsd does not run.
var openings = []opening{
	{"space:content:read", false, []string{
		"content", "change-request-content", "revisions", "pages", "sources",
		"spaces.search", "spaces.list-links", "spaces.list-revisions", "spaces.get-pdf",
		"change-requests.list", "change-requests.get", "change-requests.get-changes", "change-requests.diff", "change-requests.get-conflicts",
		"change-requests.get-mergeability", "change-requests.get-pdf", "change-requests.list-revisions", "change-requests.list-contributors",
	}},
	{"space:content:write", true, []string{
		"content.import", "change-request-content", "revisions.rollback",
		"change-requests.create", "change-requests.update", "change-requests.pull", "change-requests.merge", "change-requests.apply-suggestions",
	}},
	{"space:metadata:write", true, []string{"spaces.update"}},
	{"site:metadata:read", false, []string{"sites.get", "sites.get-structure", "site-sections", "site-section-groups", "site-spaces"}},
	{"site:visitor:auth", false, []string{"sites.get-auth"}},
	{"site:adaptive:read", false, []string{"sites.get-adaptive-schema", "sites.list-template-conditions"}},
	{"site:adaptive:write", true, []string{"sites.update-adaptive-schema"}},
	{"openapi:read", false, []string{"openapi-specs"}},
	{"openapi:write", true, []string{"openapi-specs"}},
}

// spaceScope begins the scopes that are about spaces; each of them opens the row of a space.
const spaceScope = "space:"

// Openers are the scopes of integrations that open an operation: one of them is enough.
func Openers(row api.Row) (scopes []api.IntegrationScope) {
	for _, o := range openings {
		if o.writes == row.Writes() && (slices.Contains(o.rows, row.Name) || slices.Contains(o.rows, row.Resource())) {
			scopes = append(scopes, o.scope)
		}
	}
	if row.Name != api.GetSpace.Name {
		return scopes
	}
	for _, scope := range api.IntegrationScope("").Values() {
		if strings.HasPrefix(string(scope), spaceScope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// NotOpened refuses what the scopes of an installation do not open: 403.
func NotOpened(openers []api.IntegrationScope) *api.Error {
	e := api.Errorf(http.StatusForbidden, api.ReasonForbidden, "The token of an installation does not open this: no scope of integrations does.")
	if len(openers) > 0 {
		names := make([]string, len(openers))
		for i, scope := range openers {
			names[i] = string(scope)
		}
		e.Message = "The token of an installation opens this if the integration has one of the scopes " + strings.Join(names, ", ") + "."
	}
	return e
}
