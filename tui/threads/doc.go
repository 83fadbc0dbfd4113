// Package threads are comments with their replies as a part of a page: loaded, drawn under the text that they are about,
// answered, resolved, reacted to, weighed, attached again; and what they suggest, applied. Drafts stand among them.
//
// Screens that show comments hold a Threads each. It imports page, changes, components, remote, drafts, text and markdown.
package threads
