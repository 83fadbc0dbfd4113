// Package writeback converts documents to Markdown and applies changed documents to the text that they were made from.
// Bytes of unchanged parts are kept. docs/documents.md specifies the documents. Package documents implements the
// opposite direction, which is used to verify that no content is lost.
package writeback
