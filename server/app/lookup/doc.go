// Package lookup finds resources by the names that people type. It answers only what the caller may see.
package lookup
