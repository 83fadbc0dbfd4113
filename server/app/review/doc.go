// Package review implements change requests: their changes and diffs, reviews and suggestions, merge rules, merging
// and updating, and the description and resolution of conflicts. Merges are computed before the transaction that
// commits them and are planned again if a head has moved in between.
package review
