// Package export writes pages of Markdown out as one PDF: with an outline, a table of contents, links and images. It
// knows nothing of spaces and stores; what a destination leads to it asks of its caller.
//
// No text is lost: a character that no font has is printed as its code point, such as [U+4E2D]. It may import content.
package pdf
