package screens

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

// Requests is the page of the change requests of a space, for the inbox.
func Requests(s *page.Session, space string) page.Page { return newRequests(s, space) }

// Comments is the page of the threads of a target, for the inbox.
func Comments(s *page.Session, at remote.Target) page.Page { return newComments(s, at) }

// Spaces is the page of the spaces of an organization, for the tabs of the app.
func Spaces(s *page.Session, organization string) page.Page {
	return newSpaces(s, api.Organization{OrganizationFields: api.OrganizationFields{ID: organization}})
}
