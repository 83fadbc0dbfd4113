package view

import (
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// Writer writes out what is stored as the caller may see it.
type Writer struct {
	PublicURL string      // of all addresses, without a slash at the end
	Signer    auth.Signer // of the addresses of files
	Store     *store.Store
}
