// Package reading is what the user has read of change requests: the marks that the server has, and those that it does not
// have yet.
//
// The session of the screen has one Readings, which the app hands every message; screens of a change request load, show and
// set its marks. It imports remote, drafts, client/api and Bubble Tea.
package reading
