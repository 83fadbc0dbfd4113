// Package spaces serves spaces and collections: their hierarchy and order, moves, deletion and restoration, and the
// roles of users and teams in them.
package spaces
