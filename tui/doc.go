// Package tui is the screen of wsctl for readers and reviewers: organizations, spaces, pages, change requests with
// their changes, comments and merges.
//
// It owns pages, components and the registry of actions, and declares the narrow Client that it needs. It imports
// client/api for the types of the contract, its own tui/text, tui/markdown and tui/term, Bubble Tea, and the
// standard library without net/http. All I/O is a tea.Cmd whose answer carries a generation: only the latest counts.
package tui

import _ "docspace.dev/wsd/tui/term" // tells Lip Gloss the background before Bubble Tea asks the terminal for it
