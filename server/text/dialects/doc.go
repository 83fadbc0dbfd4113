// Package dialects reads the page tree that a folder of documentation describes, by its SUMMARY.md or by its
// directories, and lays out a page tree as such a folder.
//
// Paths are relative to the root of the folder and separated by slashes.
package dialects
