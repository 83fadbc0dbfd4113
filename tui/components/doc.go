// Package components are the parts that pages are made of: the table of actions, a list of rows with a cursor, a text field,
// and the overlays that have the keys for a while: question, finder, palette, help.
//
// Pages and the app put them together. They know nothing of a server or of documents. It imports text, safe and Bubble
// Tea.
package components
