// Package reader provides the content of a revision as its readers see it: the page tree with generated pages, and
// texts with variables and reusable contents replaced.
//
// The search index, PDFs, links and documents use it, so that all of them agree. Views are computed on demand;
// nothing is stored.
package reader
