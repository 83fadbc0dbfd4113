package view

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// SpecURL returns the API address of an OpenAPI specification.
func (w *Writer) SpecURL(org, slug string) string {
	return w.PublicURL + "/v1/orgs/" + org + "/openapi/" + slug
}

// publicSpecURL returns the public address of the latest version of a public specification.
func (w *Writer) publicSpecURL(org, slug string) string {
	return w.PublicURL + "/openapi/" + org + "/" + slug
}

// Spec returns the JSON of a stored OpenAPI specification.
func (w *Writer) Spec(c *rest.Call, slug string, r txn.Record) *rest.Object {
	var spec store.OpenAPISpecDocument
	if err := spec.Decode(r); err != nil {
		return &rest.Object{Err: err}
	}
	visibility, public := api.SpecPrivate, ""
	if spec.Private.IsLatestPublic {
		visibility, public = api.SpecPublic, w.publicSpecURL(c.Org, slug)
	}
	return rest.ExtendObject(r.Public).
		Set("visibility", visibility).
		Set("permissions", api.OpenAPISpecPermissions{View: true, Edit: c.Caller.Role.AtLeast(api.RoleCreate)}).
		Set("urls", api.OpenAPISpecURLs{
			AppURLs: api.AppURLs{Location: w.SpecURL(c.Org, slug), App: w.AppURL("openapi", c.Org+"~"+slug)}, Public: public,
		})
}
