// Package remote is the connection of the screen to the server: the Client interface that it needs, values loaded in
// the background, writes, the stream of events and polling for changes by others, and descriptions of errors. All I/O
// is done in commands of Bubble Tea, or in the background of one that ends at once. A response carries a generation,
// and only that of the latest load is accepted. wsctl implements Client.
package remote
