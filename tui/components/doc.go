// Package components implements the parts of pages: tables of actions, a list of rows with a cursor, a text field,
// and the overlays that receive the keys while they are open: question, finder, palette, help and the selection of
// words.
//
// The parts make no requests. Rows identify their subjects by ids.
package components
