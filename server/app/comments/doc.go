// Package comments implements comments on spaces, change requests and passages of pages, with replies, reactions and
// suggestions. It anchors a comment to a passage and locates the passage in later texts.
package comments
