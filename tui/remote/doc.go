// Package remote is the server as the screen sees it: the narrow Client that the screen needs, values that are loaded in
// the background and keep what they have, writes, and what went wrong in words.
//
// Pages of the screen hold a Value for each thing that they show and write through the Connection. All I/O is a tea.Cmd
// whose answer carries a generation: only the latest counts. It imports client/api and Bubble Tea, never net/http; wsctl
// implements Client.
package remote
