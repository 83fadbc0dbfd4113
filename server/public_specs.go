package server

import (
	"net/http"

	"docspace.dev/wsd/server/web/rest"
)

// serveSpec redirects to the latest version of a public specification.
func (s *Server) serveSpec(w http.ResponseWriter, r *http.Request, org, slug string) {
	address, err := s.specs.PublicAddress(r.Context(), org, slug)
	if err = rest.WrapDisconnect(r, err); err != nil {
		e := rest.PublicError(err)
		if e.Code >= http.StatusInternalServerError {
			s.log.Error("public specification failed", "error", err)
		}
		s.rest.Refuse(w, r, e)
		return
	}
	header := w.Header()
	rest.BaseHeaders(header, s.rest.RequestID(r))
	header.Set("Location", address)
	header.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusFound)
}
