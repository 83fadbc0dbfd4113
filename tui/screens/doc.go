// Package screens are the pages of a space: its tree, a page as it is read, its past and its links; change requests, one of
// them, what it does to a page, its comments.
//
// They lead to each other, which is why they are one room. The app begins with Begin and knows the pages by page.SpacePage
// alone. It imports authoring, merging, conflicts, submit, overview, threads, changes, page, components, reading, drafts,
// remote and text.
package screens
