// Package screen provides the command wsctl tui. It connects package tui to the terminal, the user's editor and
// drafts, and implements the interfaces of tui/remote with the typed client, so that package tui does not depend on
// HTTP.
package screen
