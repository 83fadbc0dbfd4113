package access

import (
	"slices"

	"docspace.dev/wsd/client/api"
)

// Installation is what bounds the token of an integration's installation: everything else is as if it were not there.
type Installation struct {
	ID        string
	Scopes    []api.IntegrationScope // that the integration is published with
	AllSpaces bool
	AllSites  bool
	Selected  []string // spaces and sites, where they are not all
}

// Has reports whether the integration was published with one of some scopes.
func (i *Installation) Has(scopes []api.IntegrationScope) bool {
	return slices.ContainsFunc(scopes, func(scope api.IntegrationScope) bool { return slices.Contains(i.Scopes, scope) })
}

// installedOn reports whether a space or site is in the selection of the installation that the caller's token is for;
// for all others everything is.
func (c *Caller) installedOn(id string) bool {
	switch {
	case c.Installation == nil:
		return true
	case IsSite(id):
		return c.Installation.AllSites || slices.Contains(c.Installation.Selected, id)
	}
	return IsSpace(id) && (c.Installation.AllSpaces || slices.Contains(c.Installation.Selected, id))
}
