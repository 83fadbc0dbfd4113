package auth

import (
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// scopePermissions lists the rows or resources that a scope of an integration permits to its installations, for reading or
// writing.
type scopePermissions struct {
	scope  api.IntegrationScope
	writes bool
	rows   []string
}

// permissionsByScope are the permissions of the scopes. Rows not listed are closed to installations; scopes not listed permit
// the row of a space at most, since they are about features that wsd does not have.
var permissionsByScope = []scopePermissions{
	{"space:content:read", false, []string{
		"content", "change-request-content", "revisions", "pages", "sources",
		"spaces.search", "spaces.list-links", "spaces.list-revisions", "spaces.get-pdf",
		"change-requests.list", "change-requests.get", "change-requests.get-changes", "change-requests.diff",
		"change-requests.get-conflicts",
		"change-requests.get-mergeability", "change-requests.get-pdf", "change-requests.list-revisions",
		"change-requests.list-contributors",
	}},
	{"space:content:write", true, []string{
		"content.import", "change-request-content", "revisions.rollback",
		"change-requests.create", "change-requests.update", "change-requests.pull", "change-requests.merge",
		"change-requests.apply-suggestions",
	}},
	{"space:metadata:write", true, []string{"spaces.update"}},
	{"site:metadata:read", false, []string{"sites.get", "sites.get-structure", "site-sections", "site-section-groups", "site-spaces"}},
	{"site:visitor:auth", false, []string{"sites.get-auth"}},
	{"site:adaptive:read", false, []string{"sites.get-adaptive-schema", "sites.list-template-conditions"}},
	{"site:adaptive:write", true, []string{"sites.update-adaptive-schema"}},
	{"openapi:read", false, []string{"openapi-specs"}},
	{"openapi:write", true, []string{"openapi-specs"}},
}

// spaceScopePrefix is the prefix of scopes about spaces, each of which permits reading a space.
const spaceScopePrefix = "space:"

// ScopesFor returns the scopes of integrations that permit an operation; one of them is sufficient.
func ScopesFor(row api.Row) (scopes []api.IntegrationScope) {
	for _, o := range permissionsByScope {
		if o.writes == row.Writes() && (slices.Contains(o.rows, row.Name) || slices.Contains(o.rows, row.Resource())) {
			scopes = append(scopes, o.scope)
		}
	}
	if row.Name != api.GetSpace.Name {
		return scopes
	}
	for _, scope := range api.IntegrationScope("").Values() {
		if strings.HasPrefix(string(scope), spaceScopePrefix) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// MissingScope returns the 403 for an installation without any of the given scopes.
func MissingScope(openers []api.IntegrationScope) *api.Error {
	e := api.Errorf(http.StatusForbidden, api.ReasonForbidden,
		"The token of an installation does not open this: no scope of integrations does.")
	if len(openers) > 0 {
		names := make([]string, len(openers))
		for i, scope := range openers {
			names[i] = string(scope)
		}
		e.Message = "The token of an installation opens this if the integration has one of the scopes " + strings.Join(names, ", ") + "."
	}
	return e
}
