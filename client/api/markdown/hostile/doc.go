// Package hostile provides adversarial Markdown and measures the cost of processing it, for tests of code that parses
// Markdown.
package hostile
