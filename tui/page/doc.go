// Package page says what a page of the screen is: a Page, the Frame that every one embeds, the panes beside it,
// what stands in place of content that is not there, and the messages by which pages ask the app for something.
//
// Screens implement Page, threads are a part of some, the app holds a stack of them and draws the top. It imports
// components, reading, remote, drafts and text.
package page
