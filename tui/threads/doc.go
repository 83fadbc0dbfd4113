// Package threads are comments with their replies as a part of a page: loaded, drawn under the text that they are about,
// answered, resolved and reacted to.
//
// Screens that show comments hold a Threads each. It imports page, components, remote, drafts, text and markdown.
package threads
