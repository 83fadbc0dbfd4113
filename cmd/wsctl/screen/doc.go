// Package screen is the command that shows the screen: wsctl tui. It hands the screen the terminal, the caller's editor and
// drafts, and the server.
//
// The screen says in tui/remote what it needs of a server. This room answers that out of the typed client, so that the
// screen knows no HTTP. main adds the command. It imports app, config, exit, client, client/api and the rooms of tui.
package screen
