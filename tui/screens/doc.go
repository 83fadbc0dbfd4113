// Package screens implements the pages of a space: its tree, a page, its history and its links, change requests, the
// diff and the comments of a change request, conflicts and reviews.
//
// The pages lead to each other, so they are in one package. The app starts with the pages that PathTo returns and uses
// them through page.Page and small optional interfaces.
package screens
