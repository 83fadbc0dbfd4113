package server

import (
	"cmp"
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

// aboutEndpoints returns the public operation that describes the server.
func (s *Server) aboutEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.GetServer, auth.Public(), func(context.Context, *rest.Call, api.NoInput) (rest.Result[api.ServerInfo], error) {
			version := cmp.Or(s.version, "dev")
			result, err := rest.Value(api.ServerInfo{Version: version, Build: cmp.Or(s.build, version)})
			return result.WithVersion(version), err
		}),
	}
}
