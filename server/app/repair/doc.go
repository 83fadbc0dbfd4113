// Package repair restores content whose objects are lost. Only unreadable pages, files and parts of a tree return to
// their last readable state; all losses are listed. Check is `wsd fsck`.
package repair
