// Package divide divides texts that are larger than a page may be into parts, each of which is a page: at headings where that is
// possible, and at the cuts of the last division as far as they still exist.
//
// It is pure: imports and pushes of the same text divide it alike.
package divide
