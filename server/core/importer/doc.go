// Package importer converts external documentation to pages and files: a website, one HTML or Markdown document, or a zip
// archive of Markdown. It crawls sites, selects the main content of each page, converts HTML to Markdown, reads SUMMARY.md,
// and divides pages that exceed the limits of a page at their headings where possible, at the same positions on each import.
//
// It stores nothing; the caller adds the result to a space.
package importer
