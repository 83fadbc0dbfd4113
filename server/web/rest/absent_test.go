package rest_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// deletersByRow returns, by row, the persons who may see and delete every object of its kind. Rows without an entry have none:
// no admin sees the installations or organizations of all users.
func deletersByRow() map[string][]string {
	admins := []string{"admin"}
	creators := []string{"admin", "creator"}
	all := map[string][]string{
		"tokens.delete": {"admin", "creator", "reviewer", "editor", "commenter", "reader", "guest", "stranger"}, // each their own

		"change-requests.remove-reviewer": {"admin", "creator", "reviewer", "editor"},

		"organizations.delete": nil, "integrations.unpublish": nil, "integration-installations.delete": nil,

		"member-tokens.delete": nil, // tokens of members who work elsewhere, too, are not all seen
	}
	for _, name := range []string{
		"spaces.delete", "collections.delete", "sites.delete", "members.delete", "invites.delete", "link-invites.delete",
		"installation-spaces.delete", "installation-sites.delete", "identities.delete",
		"oidc-providers.delete", "saml-providers.delete", "service-accounts.delete",
		"teams.delete", "teams.remove-member",
		"translations.delete", "translations.remove-language",
	} {
		all[name] = admins
	}
	for _, name := range []string{
		"comments.delete", "replies.delete", "change-request-comments.delete", "change-request-replies.delete",
		"space-permissions.delete-user", "space-permissions.delete-team", "collection-permissions.delete-user",
		"collection-permissions.delete-team", "site-permissions.delete-user", "site-permissions.delete-team",
		"site-sections.delete", "site-section-groups.delete", "site-spaces.delete", "share-links.delete", "openapi-specs.delete",
	} {
		all[name] = creators
	}
	return all
}

// lastSegment matches the id that a delete names.
var lastSegment = regexp.MustCompile(`[^/?]+(\?.*)?$`)

// absentPath returns the path of a sample with a well-formed id that does not exist.
func absentPath(path string) string {
	return lastSegment.ReplaceAllStringFunc(path, func(last string) string {
		id, query, _ := strings.Cut(last, "?")
		switch {
		case id == "de": // a language
			id = "sv"
		case strings.Contains(id, "_"):
			id = id[:len(id)-6] + "0absnt"
		default:
			id += "-absent"
		}
		if query != "" {
			id += "?" + query
		}
		return id
	})
}

// TestDeleteAbsentObject checks that deleting an absent object succeeds for those who could delete every such
// object, and answers all others as if it were hidden.
func TestDeleteAbsentObject(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		whole := deletersByRow()
		for _, row := range api.Rows() {
			if row.Method != http.MethodDelete {
				continue
			}
			people, known := whole[row.Name]
			if !known {
				t.Errorf("%s: say who may delete every thing of its kind", row.Name)
			}
			path := absentPath(w.SamplePath(row, s))
			for _, person := range []string{
				"admin", "creator", "reviewer", "editor", "commenter", "reader", "guest", "stranger", servertest.AdminReading,
			} {
				checkDeleteAbsent(w, person, path, slices.Contains(people, person))
			}
		}
	})
}

// checkDeleteAbsent deletes an absent object: with If-Match, as a dry run, and for real.
func checkDeleteAbsent(w *servertest.World, person, path string, allowed bool) {
	w.T.Helper()
	name, dry := person+": DELETE "+path, path+"?dryRun=true"
	if strings.Contains(path, "?") {
		dry = path + "&dryRun=true"
	}
	for _, request := range []struct {
		path, ifMatch string
		status        int
	}{
		{path, `"7"`, http.StatusPreconditionFailed}, {
			path, "*", http.StatusPreconditionFailed,
		}, {dry, "", http.StatusNoContent}, {path, "", http.StatusNoContent},
	} {
		a := w.Send(person, http.MethodDelete, request.path, nil, "If-Match", request.ifMatch)
		absent := a.Header.Get(api.AbsentHeader)
		switch {
		case allowed && (a.Status != request.status || (a.Status == http.StatusNoContent) != (absent == "true")):
			w.T.Errorf("%s, If-Match %s: %d %s %q", name, request.ifMatch, a.Status, a.Body, absent)
		case !allowed && request.ifMatch == `"7"` && a.Status == http.StatusPreconditionFailed &&
			strings.Contains(path, "/requested-reviewers/"):
			// the error is about the change request, which is visible
		case !allowed && (a.Status != http.StatusNotFound && a.Status != http.StatusForbidden || absent != ""):
			w.T.Errorf("%s, If-Match %s: %d %s %q", name, request.ifMatch, a.Status, a.Body, absent)
		}
	}
}

// TestDeleteHiddenObjectLooksAbsent checks that requests for hidden and trashed objects get the response for absent
// ones, and that the delete of an existing object does not.
func TestDeleteHiddenObjectLooksAbsent(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		hidden := servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
			Organization: w.Org, Body: api.SpaceCreate{Title: "Hidden"},
		}).ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: hidden, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		space, collection := "/v1/spaces/", "/v1/collections/"
		for _, person := range []string{"creator", "reviewer", "reader", "guest", "stranger"} {
			for _, pair := range [][2]string{
				{space + hidden, absentPath(space + hidden)},
				{space + s.Trash, absentPath(space + s.Trash)},
				{collection + s.Trashed, absentPath(collection + s.Trashed)},
				{
					space + hidden + "/permissions/users/" + w.Users["reader"].ID, absentPath(space+hidden) + "/permissions/users/" +
						w.Users["reader"].ID,
				},
				{"/v1/orgs/" + s.Gone + "?title=Gone", absentPath("/v1/orgs/" + s.Gone + "?title=Gone")},
			} {
				there, absent := deleteResponse(w, person, pair[0]), deleteResponse(w, person, pair[1])
				if there != absent {
					t.Errorf("%s: %s: %s\n%s: %s", person, pair[0], there, pair[1], absent)
				}
			}
		}
		for _, path := range []string{space + s.Trash, collection + s.Trashed} {
			checkDeleteAbsent(w, "admin", path, true)
		}
		a := w.Send("admin", http.MethodDelete, space+hidden, nil)
		servertest.Equal(t, "present", http.StatusResetContent, a.Status)
		servertest.Equal(t, "header", "", a.Header.Get(api.AbsentHeader))
		checkDeleteAbsent(w, "admin", space+hidden, true)
	})
}

// deleteResponse returns the response of a delete without its request id.
func deleteResponse(w *servertest.World, person, path string) string {
	w.T.Helper()
	a := w.Send(person, http.MethodDelete, path, nil)
	return http.StatusText(a.Status) + requestIDs.ReplaceAllString(string(a.Body), "") + a.Header.Get(api.AbsentHeader)
}

var requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)
