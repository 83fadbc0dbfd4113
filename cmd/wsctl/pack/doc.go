// Package pack packs a folder of documentation on this machine into a zip archive.
//
// The archive of equal files is equal, byte for byte. It has no files that are hidden, but for those in .gitbook, none that git
// ignores, and none outside of the folder.
package pack
