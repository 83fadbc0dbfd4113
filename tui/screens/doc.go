// Package screens are the pages of the screen: organizations, spaces, the pages of a space, a page as it is read, change
// requests, one of them, what it does to a page, its comments.
//
// They lead to each other, which is why they are one room. The app begins with Begin and knows the pages by page.Page
// alone. It imports merging, conflicts, submit, threads, changes, page, components, reading, drafts, remote and text.
package screens
