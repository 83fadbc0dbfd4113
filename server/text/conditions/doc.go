// Package adaptive owns what docs sites that adapt to their visitors need: the schema of a visitor's claims, and
// conditions on them.
//
// Package server calls it where a site's schema or a condition is stored, package access where somebody asks what a
// visitor may see. It is pure: no storage, no network, no clock. It may import the standard library only.
package conditions
