package servertest

import (
	"net/netip"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
)

// AllowLoopback replaces the server of the world with one that may fetch from the loopback network. change changes its other options.
func (w *World) AllowLoopback(change ...func(*server.Options)) {
	w.T.Helper()
	client := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	w.T.Cleanup(client.Close)
	w.Serve(append(change, func(o *server.Options) { o.Fetcher, o.Importer = client, importer.New(client, importer.Limits{}) })...)
}
