package access

import (
	"bytes"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// OpenedSpaces returns the ids of the spaces that a change of a site makes visible to visitors who did not see them
// before. A site that is not published yet counts with the visitors it would have. A change between share links and
// visitor tokens opens all spaces, because the visitors are others.
func OpenedSpaces(before, after store.SiteEntry) (ids []string) {
	for _, shown := range after.Spaces {
		if !slices.Contains(ids, shown.Space) && (hasNewVisitors(before, after) || isOpened(before, after, shown)) {
			ids = append(ids, shown.Space)
		}
	}
	return ids
}

// hasNewVisitors reports whether a change of a site admits visitors that it did not admit before.
func hasNewVisitors(before, after store.SiteEntry) bool {
	narrowed := before.Visibility == api.SitePublic || before.Visibility == api.SiteUnlisted && after.Visibility != api.SitePublic
	return after.Published && !before.Published ||
		after.Visibility != before.Visibility && !narrowed ||
		before.Agents == api.AgentsExcluded && after.Agents != api.AgentsExcluded
}

// isOpened reports whether visitors of a site see a space who did not meet its conditions before, or for whom the site
// did not show it.
func isOpened(before, after store.SiteEntry, shown store.SiteEntrySpace) bool {
	sameClaims := before.Adaptive == after.Adaptive && bytes.Equal(before.Schema, after.Schema)
	return !slices.ContainsFunc(before.Spaces, func(was store.SiteEntrySpace) bool {
		return was.Space == shown.Space && (len(was.Conditions) == 0 || sameClaims && containsAll(shown.Conditions, was.Conditions))
	})
}

func containsAll(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(text string) bool { return !slices.Contains(list, text) })
}
