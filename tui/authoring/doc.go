// Package authoring is what the author of a change request does with it on the screen: its subject, description and status,
// its pages, and whom it asks for a review.
//
// The room screens has it as a part of its pages. It may import changes, components, drafts, markdown, page, remote and text.
package authoring
