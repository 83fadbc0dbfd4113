// Package changes draws what the server says of changes: pages that were created, moved or edited, blocks with their words,
// lines of code and tables.
//
// Screens draw change requests and conflicts with it, wsctl prints Summary and Diff. It does no I/O and knows no page of
// the screen. It imports client/api, text and markdown.
package render
