package view

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// SpecURL is the API address of an OpenAPI specification.
func (s *Writer) SpecURL(org, slug string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/openapi/" + slug
}

// publicSpecURL is where everybody finds the latest version of a public specification.
func (s *Writer) publicSpecURL(org, slug string) string {
	return s.PublicURL + "/openapi/" + org + "/" + slug
}

// Spec is an OpenAPI specification as it is on the wire, of what is stored of it.
func (s *Writer) Spec(c *rest.Call, slug string, r txn.Record) *rest.Object {
	var spec store.OpenAPISpecDocument
	if err := spec.Decode(r); err != nil {
		return &rest.Object{Err: err}
	}
	visibility, public := api.SpecPrivate, ""
	if spec.Private.Public {
		visibility, public = api.SpecPublic, s.publicSpecURL(c.Org, slug)
	}
	return rest.Extend(r.Public).
		Set("visibility", visibility).
		Set("permissions", api.OpenAPISpecPermissions{View: true, Edit: c.Caller.Role.AtLeast(api.RoleCreate)}).
		Set("urls", api.OpenAPISpecURLs{
			AppURLs: api.AppURLs{Location: s.SpecURL(c.Org, slug), App: s.AppURL("openapi", c.Org+"~"+slug)}, Public: public,
		})
}
