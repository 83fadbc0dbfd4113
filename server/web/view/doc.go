// Package view encodes resources as JSON for API responses: spaces, sites, pages and people, and all addresses in them. It
// encodes data that its callers have read, and omits data that the caller of the request may not see. It makes no changes.
package view
