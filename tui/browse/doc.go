// Package browse implements the pages above a space: the organizations, the inbox and the activity of an
// organization, its spaces, and the search.
//
// The app shows the inbox when the user enters an organization; all other pages are reached from there.
package browse
