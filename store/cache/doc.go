// Package cache keeps in memory what was made of things that never change: trees of pages, link graphs, PDFs. Every
// cache has a budget of bytes. The rooms that read content have one each; nothing here knows what is kept.
//
// It may import the store, whose objects give the keys their names.
package cache
