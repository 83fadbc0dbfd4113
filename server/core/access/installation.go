package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Installation limits the token of an integration's installation. Content outside of the limits does not exist for
// it.
type Installation struct {
	ID        string
	Scopes    []api.IntegrationScope // scopes of the published integration
	AllSpaces bool
	AllSites  bool
	Selected  []string // ids of spaces and sites, unless AllSpaces or AllSites is set
}

// HasAnyScope reports whether the integration has one of the scopes.
func (i *Installation) HasAnyScope(scopes []api.IntegrationScope) bool {
	return slices.ContainsFunc(scopes, func(scope api.IntegrationScope) bool { return slices.Contains(i.Scopes, scope) })
}

// hasSelection reports whether the token is limited to an installation or to spaces.
func (c *Caller) hasSelection() bool { return c.Installation != nil || c.Spaces != nil }

// isSelected reports whether a space or site is in the selection of the caller's installation, and among the spaces to which the
// token is limited. It is true for callers without such limits.
func (c *Caller) isSelected(id string) bool {
	switch {
	case c.Spaces != nil && !slices.Contains(c.Spaces, id):
		return false
	case c.Installation == nil:
		return true
	case IsSite(id):
		return c.Installation.AllSites || slices.Contains(c.Installation.Selected, id)
	}
	return IsSpace(id) && (c.Installation.AllSpaces || slices.Contains(c.Installation.Selected, id))
}
