package api

// GetServer is the row of the server itself.
var GetServer = get[NoInput, ServerInfo]("server.get", "/v1/", "Show the version and the build of the server.", as("getApiInformation"))

// ServerInfo is what a server says of itself.
type ServerInfo struct {
	Version string `json:"version"`
	Build   string `json:"build" doc:"The commit that it was built from, as far as that is known; else the version."`
}
