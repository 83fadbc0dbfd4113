package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// addBulkSpaces adds n spaces at the top level.
func addBulkSpaces(w *servertest.World, n int) {
	w.T.Helper()
	first := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: w.CreateSpace("The first of many", "", "")})
	w.Must(servertest.BulkSpaces(w.T.Context(), w.Store, w.Users["admin"].ID, first, n))
}

// warmTrips returns the number of trips of a reading operation whose content objects are cached: records are read
// with the first pipeline, the items of a list with a second.
func warmTrips(row api.Row) int {
	switch {
	case row.Name == "change-requests.list-reviewers": // part of the record
		return 1
	case row.Name == "change-request-reviews.list": // reviews; their comments
		return 3
	case row.Name == "content.list-links", row.Name == "content.list-backlinks", row.Name == "spaces.list-links":
		// graph; targets outside of the space
		return 2
	case row.Name == "change-request-reviews.get": // review; its comment
		return 2
	case row.Name == "change-requests.get-conflicts", row.Name == "change-requests.get-mergeability": // caller; both heads
		return 2
	case row.Name == "comments.list": // comments; state of the change requests with open threads
		return 3
	case row.Name == "change-requests.list-queue": // change requests; threads; last replies
		return 4
	case row.Name == "change-requests.get-counts": // caller; an empty inbox
		return 2
	case row.Name == "change-requests.get-timeline": // change request; events
		return 2
	case row.Name == "events.list", row.Name == "events.tail", row.Name == "audit.list", row.Name == "audit.get": // caller; events
		return 2
	case row.Name == "member-tokens.list": // caller; ids; tokens; their last uses
		return 4
	case row.Name == "audit.oldest": // caller; log; its memory
		return 3
	case row.Name == "change-requests.get-reading": // change request; reading marks
		return 2
	case row.Name == "change-requests.get-saved-queries": // caller; saved queries
		return 2
	case row.Name == "users.show": // user; common memberships
		return 2
	case row.Name == "subdomains.get": // claim; owner
		return 3
	case row.Name == "organizations.find": // user; index; organizations
		return 4
	case row.Name == "email-domains.list", row.Name == "teams.list", row.Name == "members.list-teams",
		strings.Contains(row.Name, "-permissions.list"): // in the model or one record
		return 1
	case row.Name == "transfers.list", row.Name == "transfers.get": // transfers; records in the other organizations
		return 3
	case row.Name == "openapi-specs.list-versions": // specification; index; versions
		return 4
	case row.Name == "saml-providers.list-logins": // active providers; records
		return 2
	case strings.HasPrefix(row.Name, "openapi-specs.get-"): // specification; version
		return 3
	case row.Name == api.FindContent.Name: // caller; organization of the address; content
		return 3
	case row.Name == api.ListRevisionFiles.Name, strings.Contains(row.Name, "content.list-"), row.Name == "spaces.list-links",
		row.Name == api.ListSources.Name, row.Name == api.SearchSpace.Name: // part of the content
		return 1
	case row.Name == api.GetLinkInvite.Name: // link; its author
		return 2
	case row.Name == api.ListLinkInvites.Name: // index; links; their authors
		return 3
	case row.Name == "integrations.get" || row.Name == "integration-installations.get": // record; its owner
		return 2
	case row.Name == "integration-installations.list": // integration; installations
		return 3
	case row.Resource() == "integration-events": // integration; memberships; events
		return 3
	case row.Name == api.GetInstallationSpace.Name || row.Name == api.GetInstallationSite.Name: // installation; organization
		return 2
	case row.Resource() == "installation-spaces" || row.Resource() == "installation-sites": // installations; their configurations
		return 3
	case row.Name == api.ListTrashOrganizations.Name: // index; organizations; their contents
		return 3
	case row.Name == "revisions.get", row.Name == "revisions.list-pages", row.Name == "change-requests.list-revisions":
		return 1
	case row.Name == "content.get", row.Name == "pages.blame": // content; merged change request
		return 2
	case row.IsList(), row.Name == "sites.get-published", row.Name == "sites.get-structure": // site; spaces
		return 2
	}
	return 1
}

// TestRoundTripsDoNotGrowWithSpacesCampaign checks that the number of trips does not depend on the number of spaces.
func TestRoundTripsDoNotGrowWithSpacesCampaign(t *testing.T) {
	t.Parallel()
	many, _ := storetest.Campaign(t, "trips", 10_000, 100_000)
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		sizes := []int{100, 1_000} // the time of the emulation grows quadratically
		if engine.URL() != "" {
			sizes = []int{100, many}
		}
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%d spaces", n), func(t *testing.T) {
				t.Parallel()
				w := servertest.NewWorld(t, engine, func(c *store.Config) {
					if n > 1_000 && storetest.HasServer() { // on a server of its own, since other tests would scan all these keys
						c.URL, c.DataDir, c.Appendfsync = "", t.TempDir(), "no"
					}
				})
				w.SkipFsck = true // the spaces share the text of a revision that only the first contains
				s := w.Populate()
				start := time.Now()
				addBulkSpaces(w, n)
				t.Logf("%d spaces made in %v", n, time.Since(start))
				for _, as := range []string{"admin", "commenter"} {
					// loads the model, records the use of the token
					w.Call(as, http.MethodGet, "/v1/orgs/"+w.Org+"/spaces", nil, http.StatusOK)
					for _, row := range api.Rows() {
						if row.Writes() || row.Name == "tokens.list" || row.Name == api.SearchOrganization.Name ||
							row.Name == api.SearchSite.Name || row.Name == api.FindName.Name {
							continue // the spaces have no text to search; names are sent in a body, see TestNamesCostTheSame
						}
						if a := w.Send(as, http.MethodGet, w.SamplePath(row, s), nil); as != "admin" &&
							(a.Status == http.StatusForbidden || row.Name == api.GetImportRun.Name ||
								row.Name == "integration-installations.list" || row.Name == api.ListTrash.Name ||
								row.Name == api.ListLinkInvites.Name || // manages none
								row.Name == api.ListTrashOrganizations.Name) {
							continue // not permitted, see TestRoleMatrix
						}
						if got, want := servertest.CountTrips(w, as, w.SamplePath(row, s)), warmTrips(row); got != want {
							t.Errorf("%s as %s: %d trips, want %d", row.Name, as, got, want)
						}
					}
				}
			})
		}
	})
}

// TestRoundTripsWithEmptyCaches checks that with empty caches a page takes three trips, one per level of objects, and
// that other reads take one per kind of object.
func TestRoundTripsWithEmptyCaches(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		w, s := servertest.NewSampleWorld(t, engine, func(c *store.Config) { c.CacheBytes = -1 })
		handbook := "/v1/spaces/" + s.Handbook
		w.Call("admin", http.MethodGet, handbook+"/search?query=linux", nil, http.StatusOK) // builds the index
		for path, want := range map[string]int{
			"/content/page/" + s.Pages["Linux"] + "?format=markdown":                3, // head, tree, text with blocks
			"/content/path/start/install/linux?format=markdown":                     3,
			"/change-requests/2/content/page/" + s.RequestPage + "?format=markdown": 3,
			"/content/page/" + s.Pages["Linux"]:                                     2,
			"/content/pages":                                                        2,
			"/content/files/" + s.File:                                              2,
			"/comments/" + s.Comment.ID:                                             2,
			"/content/reusable-contents/" + s.ReusableContent:                       3,
			// head and state; revision; completion, counts, pages; tree; texts
			"/search?query=linux": 7,
			"/content":            6, // head, revision, tree, files, reusable contents, merges
		} {
			w.Serve()                                                              // replaces the server, so that the caches are empty
			w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org, nil, http.StatusOK) // records the use of the token
			if got := servertest.CountTrips(w, "admin", handbook+path); got != want {
				t.Errorf("%s: %d trips, want %d", path, got, want)
			}
		}
	})
}
