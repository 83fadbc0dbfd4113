// Package writeback owns the way back from a document to Markdown: it writes documents that were sent, and puts what
// somebody changed in one into the text that it was made from, where all else keeps its bytes. docs/documents.md says how
// each thing is written.
//
// It is pure. Rooms that take documents call it: pages, comments and reviews. The writing of documents is the
// proof that nothing was lost. It may import align, content and documents.
package writeback
