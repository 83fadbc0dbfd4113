// Package sites serves published sites: their content and visibility, sections, permissions, share links, visitors
// and translations. Lookup resolves addresses to content.
package sites
