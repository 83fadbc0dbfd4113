// Package cursors writes and reads the opaque texts by which a list is continued.
//
// It owns their form, the key that no client has, and the binding to the filters
// of a list. The lists of server/web/rest call it. It imports nothing of this module.
package cursors
