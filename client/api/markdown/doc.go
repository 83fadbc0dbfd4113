// Package markdown parses GitHub Flavored Markdown within a work budget that depends only on the text.
//
// The underlying parser, goldmark, takes quadratic time on adversarial input. This package counts that work, and
// parses text that exceeds the budget as plain text; no text is lost and parsing never fails. Parsing can be
// canceled.
package markdown
