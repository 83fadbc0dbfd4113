package server

import (
	"docspace.dev/wsd/server/auth"
)

// placeURL is the API address of a place.
func (s *Server) placeURL(at place) string {
	if at.request == "" {
		return s.spaceURL(at.space)
	}
	return s.spaceURL(at.space) + "/change-requests/" + at.request
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
