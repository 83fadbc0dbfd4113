// Package spaces is where one looks for a place: the organizations of the user, and the spaces of one, with its sites and what
// was opened last; beside a space stands what it holds; and the search for pages by their words.
//
// The app shows it first when no organization is named, and as a tab. It leads to the pages of a space: it imports screens,
// overview, changes, page, components, drafts, remote and text.
package spaces
