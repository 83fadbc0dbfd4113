package api

// GetServer is the route that returns the version of the server.
var GetServer = get[NoInput, ServerInfo]("server.get", "/v1/", "Show the version and the build of the server.",
	withOperation("getApiInformation"))

// ServerInfo describes a server.
type ServerInfo struct {
	Version string `json:"version" doc:"Version of wsd. Without a token, a server may leave the rest out."`
	Build   string `json:"build" doc:"The commit that it was built from, as far as that is known; else the version."`
}
