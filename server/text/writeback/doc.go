// Package writeback converts documents to Markdown and applies changed documents to the text that they were made from,
// in which everything else keeps its bytes. docs/documents.md specifies the form; package documents implements the
// opposite direction, which is used to verify that no content is lost.
package writeback
