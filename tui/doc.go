// Package tui is the screen of wsctl for readers and reviewers: organizations, spaces, pages, change requests with
// their changes, comments and merges.
//
// It is the app: a stack of pages with the top one drawn, the overlay or the desk that has the keys, the actions of every
// page, and the last line. A key goes down the rooms: Model.Update, the row of the action that has the key, its function in
// screens or threads, remote.Connection.Write, the client. What was written comes back as a remote.ChangedMsg, and the pages
// that show it load again. wsctl runs it. It imports the rooms below tui, client/api, Bubble Tea, and the standard library
// without net/http.
package tui

import _ "docspace.dev/wsd/tui/term" // tells Lip Gloss the background before Bubble Tea asks the terminal for it
