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

// bulkSpacesOf adds n spaces at the top.
func bulkSpacesOf(w *servertest.World, n int) {
	w.T.Helper()
	first := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: w.Space("The first of many", "", "")})
	w.Must(bulkSpaces(w.T.Context(), w.Store, w.Users["admin"].ID, first, n))
}

// warmTrips is how many trips an operation that reads makes when the objects that it needs are in memory: records
// come with the first pipeline, and the items of a list with a second.
func warmTrips(row api.Row) int {
	switch {
	case row.Name == "change-requests.list-reviewers": // part of the record
		return 1
	case row.Name == "change-request-reviews.list": // the reviews, then the comments that say why
		return 3
	case row.Name == "content.list-links", row.Name == "content.list-backlinks", row.Name == "spaces.list-links": // the graph, then what it leads to outside
		return 2
	case row.Name == "change-request-reviews.get": // and then the comment that says why
		return 2
	case row.Name == "change-requests.get-conflicts", row.Name == "change-requests.get-mergeability": // the caller, then both heads
		return 2
	case row.Name == "comments.list": // the comments, and which change requests with open threads are merged
		return 3
	case row.Name == "change-requests.list-queue": // the change requests, their threads, and the last replies
		return 4
	case row.Name == "change-requests.get-counts": // the caller, then what concerns them: nothing
		return 2
	case row.Name == "change-requests.get-timeline": // and then the events
		return 2
	case row.Name == "change-requests.get-reading": // and then the caller's marks
		return 2
	case row.Name == "change-requests.get-saved-queries": // the caller, then what they saved
		return 2
	case row.Name == "users.show": // and then the memberships that both have
		return 2
	case row.Name == "subdomains.get": // the claim, its owner
		return 3
	case row.Name == "organizations.find": // the user, the index, the organizations
		return 4
	case row.Name == "email-domains.list", row.Name == "teams.list", row.Name == "members.list-teams", strings.Contains(row.Name, "-permissions.list"): // all in the model, or in one record
		return 1
	case row.Name == "transfers.list", row.Name == "transfers.get": // and then what the other organizations have of them
		return 3
	case row.Name == "openapi-specs.list-versions": // the specification, the index, the versions
		return 4
	case row.Name == "saml-providers.list-logins": // the active ones, then their records
		return 2
	case strings.HasPrefix(row.Name, "openapi-specs.get-"): // the specification, then the version
		return 3
	case row.Name == api.FindContent.Name: // the caller, the organization of the address, what is there
		return 3
	case row.Name == api.ListRevisionFiles.Name, strings.Contains(row.Name, "content.list-"), row.Name == "spaces.list-links", row.Name == api.ListSources.Name, row.Name == api.SearchSpace.Name: // part of the content
		return 1
	case row.Name == "integrations.get" || row.Name == "integration-installations.get": // and then the owner, elsewhere
		return 2
	case row.Name == "integration-installations.list": // and then the installations
		return 3
	case row.Name == api.GetInstallationSpace.Name || row.Name == api.GetInstallationSite.Name: // and then the organization
		return 2
	case row.Resource() == "installation-spaces" || row.Resource() == "installation-sites": // and then how they are configured
		return 3
	case row.Name == api.ListTrashOrganizations.Name: // the index, the organizations, then what they hold
		return 3
	case row.Name == "revisions.get", row.Name == "revisions.list-pages", row.Name == "change-requests.list-revisions":
		return 1
	case row.Name == "content.get", row.Name == "pages.blame": // the content, then the change request that was merged
		return 2
	case row.IsList(), row.Name == "sites.get-published", row.Name == "sites.get-structure": // the site, then its spaces
		return 2
	}
	return 1
}

// Trips do not depend on how much there is: a hundred spaces, or many more.
func TestTripsCampaign(t *testing.T) {
	t.Parallel()
	many, _ := storetest.Campaign(t, "trips", 10_000, 100_000)
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		sizes := []int{100, 1_000} // the emulation takes time that grows with the square
		if engine.URL() != "" {
			sizes = []int{100, many}
		}
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%d spaces", n), func(t *testing.T) {
				t.Parallel()
				w := servertest.NewWorld(t, engine, func(c *store.Config) {
					if n > 1_000 && storetest.HasServer() { // in a server of its own: elsewhere the other tests would scan all this
						c.URL, c.DataDir, c.Appendfsync = "", t.TempDir(), "no"
					}
				})
				w.Unsound = true // all those spaces share the text of a revision that only the first has
				s := w.Populate()
				start := time.Now()
				bulkSpacesOf(w, n)
				t.Logf("%d spaces made in %v", n, time.Since(start))
				for _, as := range []string{"admin", "commenter"} {
					w.Call(as, http.MethodGet, "/v1/orgs/"+w.Org+"/spaces", nil, http.StatusOK) // model, last use
					for _, row := range api.Rows() {
						if row.Writes() || row.Name == "tokens.list" || row.Name == api.SearchOrganization.Name || row.Name == api.SearchSite.Name {
							continue // the many spaces have no text that could be searched
						}
						if a := w.Raw(as, http.MethodGet, w.PathOf(row, s), nil); as != "admin" && (a.Status == http.StatusForbidden || row.Name == api.GetImportRun.Name || row.Name == "integration-installations.list" || row.Name == api.ListTrash.Name || row.Name == api.ListTrashOrganizations.Name) {
							continue // TestRoles says who may see what
						}
						if got, want := servertest.TripsOf(w, as, w.PathOf(row, s)), warmTrips(row); got != want {
							t.Errorf("%s as %s: %d trips, want %d", row.Name, as, got, want)
						}
					}
				}
			})
		}
	})
}

// With nothing in memory a page takes one trip for each level of objects: three in all. What shows more takes one
// for each kind of thing.
func TestColdTrips(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		w, s := servertest.Sampled(t, engine, func(c *store.Config) { c.CacheBytes = -1 })
		handbook := "/v1/spaces/" + s.Handbook
		w.Call("admin", http.MethodGet, handbook+"/search?query=linux", nil, http.StatusOK) // makes the index
		for path, want := range map[string]int{
			"/content/page/" + s.Pages["Linux"] + "?format=markdown":                3, // head, tree, text with blocks
			"/content/path/start/install/linux?format=markdown":                     3,
			"/change-requests/2/content/page/" + s.RequestPage + "?format=markdown": 3,
			"/content/page/" + s.Pages["Linux"]:                                     2,
			"/content/pages":                                                        2,
			"/content/files/" + s.File:                                              2,
			"/comments/" + s.Comment.ID:                                             2,
			"/content/reusable-contents/" + s.ReusableContent:                       3,
			"/search?query=linux":                                                   7, // head and state; revision; completion, counts, pages; tree; texts
			"/content":                                                              6, // head, revision, tree, files, reusable contents, what was merged
		} {
			w.Serve() // a server that has assembled no tree yet
			if got := servertest.TripsOf(w, "admin", handbook+path); got != want {
				t.Errorf("%s: %d trips, want %d", path, got, want)
			}
		}
	})
}
