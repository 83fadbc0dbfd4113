// Package addresses finds what is at an address: of the app, of the interface, or of a published site.
//
// It answers what those who may see it are answered elsewhere, by the handlers of the rooms that own the things. It may
// import access, auth, pages, rest, reviews, revision, spaces, view and the store.
package addresses
