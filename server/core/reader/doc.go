// Package reading is what the readers of a revision see: its pages with those that computed pages stand for, and their
// texts with variables and reusable contents in their place.
//
// The search index, PDFs, links and evaluated texts read it, so that all of them have the same words. A view is made of
// a revision when it is asked for; nothing of it is stored. It may import api, budgets, cache, content, revision, spec
// and the store.
package reader
