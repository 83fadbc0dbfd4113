// Package view writes resources as they are on the wire: the JSON of spaces, sites, pages and people, and every address
// in it.
//
// The rooms of the features call it with what they have read; it decides nothing, but leaves out what the caller may
// not see. It may import access, auth, rest, revision and the store.
package view
