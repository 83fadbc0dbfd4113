// Package tui is the screen of wsctl for readers and reviewers: organizations, spaces, pages, and change requests
// with their changes, comments and merges. It owns the stack of pages, the overlay or text editor that receives the
// keys, the actions shared by all pages, and the footer. A key runs the function of its action; a write reports a
// remote.ChangedMsg, and the pages that show the changed objects reload.
package tui

import _ "docspace.dev/wsd/tui/term" // sets the background of Lip Gloss before Bubble Tea queries the terminal
