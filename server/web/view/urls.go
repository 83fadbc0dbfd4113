package view

import (
	"net/url"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
)

// PlaceURL is the API address of a place.
func (s *Writer) PlaceURL(at revision.Target) string {
	if at.ChangeRequest == "" {
		return s.SpaceURL(at.Space)
	}
	return s.SpaceURL(at.Space) + "/change-requests/" + at.ChangeRequest
}

// AppURL is the address of a plain page for people who follow a link.
func (s *Writer) AppURL(kind, id string) string { return s.PublicURL + "/app/" + kind + "/" + id }

// RefURL is the address of another space, of a page of one or of a collection; "" of anything else.
func (s *Writer) RefURL(ref api.ContentRef) string {
	switch {
	case ref.Collection != "":
		return s.AppURL("collections", ref.Collection)
	case ref.Space == "":
		return ""
	case ref.Page == "":
		return s.AppURL("spaces", ref.Space)
	}
	to := s.AppURL("pages", ref.Space+"~"+ref.Page)
	if ref.Anchor != "" {
		to += "#" + url.PathEscape(ref.Anchor)
	}
	return to
}

// RawURL is the address that serves the bytes of a file, for an hour.
func (s *Writer) RawURL(space, manifest string) string {
	return s.PublicURL + "/raw/" + s.Signer.Sign(space, manifest, auth.FileRounding)
}

// SpaceURL is the API address of a space.
func (s *Writer) SpaceURL(id string) string { return s.PublicURL + "/v1/spaces/" + id }

// SiteURL is the API address of a site.
func (s *Writer) SiteURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/sites/" + id
}
