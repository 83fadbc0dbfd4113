// Package cache provides in-memory caches of values derived from immutable data, such as trees of pages, link graphs
// and PDFs. Every cache has a byte budget.
package cache
