// Package remote is the connection of the screen to the server: the Client interface that it needs, values loaded in
// the background, writes, polling for changes by others, and descriptions of errors. All I/O is done in commands of
// Bubble Tea. A response carries a generation, and only that of the latest load is accepted. wsctl implements Client.
package remote
