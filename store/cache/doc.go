// Package cache provides LRU, the container of all in-memory caches, which has a byte budget, and NamedLocks. It imports
// no other package of the module.
package cache
