// Package markdown parses Markdown, as GitHub flavours it, within a budget of work that depends on the text alone.
//
// Everything that reads Markdown calls it: server/text/content and what stands on it, the importer, and the screen that
// draws texts of others. The parser beneath has steps that are quadratic on text made for that; here they are
// counted, and what exceeds the budget is read as plain text: nothing is lost, and nothing fails. Who has left gets
// what was read so far.
//
// It is a leaf: it imports goldmark alone.
package markdown
