// Package components are the parts that pages are made of: the table of actions, a list of rows with a cursor, a text field,
// and the overlays that have the keys for a while: question, finder, palette, help.
//
// Pages and the app put them together. They ask no server, and carry what a row is about as ids. It imports text, markdown, safe
// and Bubble Tea.
package components
