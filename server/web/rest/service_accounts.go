package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
)

// ungrouped are the operations that every token may call, whatever its groups: those that show the server and the caller, and the
// rotation of its own secret.
var ungrouped = []string{api.GetServer.Name, api.GetUser.Name, api.RotateToken.Name}

// checkGroup returns an error if the token is limited to groups of operations without that of the request.
func (c *Call) checkGroup() error {
	if slices.Contains(ungrouped, c.Endpoint.Row.Name) {
		return nil
	}
	group := api.OperationGroup(c.Endpoint.Row.Resource())
	if c.Caller.HasGroup(group) {
		return nil
	}
	names := make([]string, len(c.Caller.Groups))
	for i, name := range c.Caller.Groups {
		names[i] = string(name)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This token may not call operations of the group %s: it is limited to %s.",
		group, strings.Join(names, ", ")).
		WithHint("An admin of the organization can create a token with the group %s.", group)
}

// RequireAllSpaces returns an error that names what the request is about if the token is limited to spaces.
func (c *Call) RequireAllSpaces(what string) error {
	if c.Caller.Spaces == nil {
		return nil
	}
	return limitedToSpaces(c.Caller, what)
}

// limitedToSpaces returns the 403 for a token that is limited to spaces and does not open what a request is about.
func limitedToSpaces(caller *access.Caller, what string) *api.Error {
	spaces := "1 space"
	if n := len(caller.Spaces); n > 1 {
		spaces = fmt.Sprintf("%d spaces", n)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This token is limited to %s and does not open %s.", spaces, what).
		WithHint("An admin of the organization can create a token that does.")
}

// checkPerson returns an error if the caller is a service account and the operation is for people only.
func (c *Call) checkPerson() error {
	if !c.Caller.IsService || !c.Endpoint.peopleOnly {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Service accounts cannot do this; it takes the token of a person.")
}
