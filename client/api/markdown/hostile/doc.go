// Package hostile has Markdown that is made to be expensive, and counts what it costs those who read it. Tests of
// everything that parses Markdown call it.
package hostile
