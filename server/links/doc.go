// Package links resolves the links of pages: where each leads, which are broken and why, and which files are used where.
//
// A Graph holds the links of one revision and is made from that of the revision before, so that an edit costs what it
// changed. Rooms that list links or references, and the index of a space, ask for it. It may import access, cache,
// content, reading, rest, revision and the store.
package links
