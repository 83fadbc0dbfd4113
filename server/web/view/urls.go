package view

import (
	"net/url"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
)

// TargetURL returns the API address of a space or change request.
func (w *Writer) TargetURL(at revision.Target) string {
	if at.ChangeRequest == "" {
		return w.SpaceURL(at.Space)
	}
	return w.SpaceURL(at.Space) + "/change-requests/" + at.ChangeRequest
}

// AppURL returns the web address of an object of a kind, for links that people follow.
func (w *Writer) AppURL(kind, id string) string { return w.PublicURL + "/app/" + kind + "/" + id }

// RefURL returns the address of a referenced space, page or collection, or "" for other references.
func (w *Writer) RefURL(ref api.ContentRef) string {
	switch {
	case ref.Collection != "":
		return w.AppURL("collections", ref.Collection)
	case ref.Space == "":
		return ""
	case ref.Page == "":
		return w.AppURL("spaces", ref.Space)
	}
	to := w.AppURL("pages", ref.Space+"~"+ref.Page)
	if ref.Anchor != "" {
		to += "#" + url.PathEscape(ref.Anchor)
	}
	return to
}

// RawURL returns a signed download address of a file in a space or specification. It is valid for an hour, but not after the end of
// the reason.
func (w *Writer) RawURL(reason access.Reason, space, manifest string) string {
	return w.PublicURL + "/raw/" + w.Signer.Sign(auth.SignedAddress{Space: space, Object: manifest, Reason: reason}, auth.FileRounding)
}

// SpaceURL returns the API address of a space.
func (w *Writer) SpaceURL(id string) string { return w.PublicURL + "/v1/spaces/" + id }

// SiteURL returns the API address of a site.
func (w *Writer) SiteURL(org, id string) string {
	return w.PublicURL + "/v1/orgs/" + org + "/sites/" + id
}
