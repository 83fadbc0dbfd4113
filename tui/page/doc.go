// Package page defines the pages of the screen: the interface Page, the Frame that every page embeds, the session
// that all pages share, the panes next to a page, the placeholders for missing content, and the messages from pages
// to the app.
//
// The app has a stack of pages and draws the top one.
package page
