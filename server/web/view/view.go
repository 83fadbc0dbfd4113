package view

import (
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// Writer encodes stored resources for the caller of a request.
type Writer struct {
	PublicURL string      // base of all addresses, without a trailing slash
	Signer    auth.Signer // signs file addresses
	Store     *store.Store
}
