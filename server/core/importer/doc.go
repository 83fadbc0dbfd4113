// Package split cuts a page that is larger than pages may be into parts, at its headings where they allow it, and cuts it
// at the same places when it comes again.
//
// It does no I/O. Imports call it for what an importer brings, whose
// pages it cuts. It may import content and importer.
package importer
