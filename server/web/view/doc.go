// Package view encodes resources as JSON for API answers: spaces, sites, pages and people, and all addresses in them.
//
// It encodes what its callers have read, without what the caller of the request may not see. It makes no changes.
package view
