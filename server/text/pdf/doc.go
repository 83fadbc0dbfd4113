// Package pdf writes pages of Markdown as one PDF with an outline, a table of contents, links and images. The caller
// resolves the destinations of links and images.
//
// No text is lost: a character that no font has is printed as its code point, such as [U+4E2D].
package pdf
