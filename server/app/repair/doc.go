// Package repair restores content whose objects are lost. Only unreadable pages, files and parts of a tree return to
// their last readable state; all losses are listed. wsd fsck --repair calls it with the spaces that fsck found.
package repair
