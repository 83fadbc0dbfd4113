package server

import (
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/server/revision"
)

// placeURL is the API address of a place.
func (s *Server) placeURL(at revision.Target) string {
	if at.ChangeRequest == "" {
		return s.spaceURL(at.Space)
	}
	return s.spaceURL(at.Space) + "/change-requests/" + at.ChangeRequest
}

// appURL is the address of a plain page for people who follow a link.
func (s *Server) appURL(kind, id string) string { return s.publicURL + "/app/" + kind + "/" + id }

// rawURL is the address that serves the bytes of a file, for an hour.
func (s *Server) rawURL(space, manifest string) string {
	return s.publicURL + "/raw/" + s.signer.Sign(space, manifest, auth.FileRounding)
}

func (s *Server) spaceURL(id string) string { return s.publicURL + "/v1/spaces/" + id }

func (s *Server) siteURL(org, id string) string {
	return s.publicURL + "/v1/orgs/" + org + "/sites/" + id
}
