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

// wholeDeleters are the people who see and may delete every thing of a kind, by the row that deletes one. The rows without
// an entry have nobody: no admin sees the installations or the organizations of all others.
func wholeDeleters() map[string][]string {
	admins := []string{"admin"}
	creators := []string{"admin", "creator"}
	all := map[string][]string{
		"tokens.delete": {"admin", "creator", "reviewer", "editor", "commenter", "reader", "guest", "stranger"}, // their own

		"change-requests.remove-reviewer": {"admin", "creator", "reviewer", "editor"},

		"organizations.delete": nil, "integrations.unpublish": nil, "integration-installations.delete": nil,
	}
	for _, name := range []string{
		"spaces.delete", "collections.delete", "sites.delete", "members.delete", "invites.delete", "link-invites.delete",
		"installation-spaces.delete", "installation-sites.delete", "saml-providers.delete", "teams.delete", "teams.remove-member", "translations.delete", "translations.remove-language",
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

// lastSegment is the id that a delete names.
var lastSegment = regexp.MustCompile(`[^/?]+(\?.*)?$`)

// absentPath is the path of a sample with an id that could be there and is not.
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

// Deleting what is not there is done to who could have deleted it, whatever it was; to all others it is hidden.
func TestDeleteOfWhatIsAbsent(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		whole := wholeDeleters()
		for _, row := range api.Rows() {
			if row.Method != http.MethodDelete {
				continue
			}
			people, known := whole[row.Name]
			if !known {
				t.Errorf("%s: say who may delete every thing of its kind", row.Name)
			}
			path := absentPath(w.PathOf(row, s))
			for _, person := range []string{"admin", "creator", "reviewer", "editor", "commenter", "reader", "guest", "stranger", servertest.AdminReading} {
				holdAbsent(w, person, path, slices.Contains(people, person))
			}
		}
	})
}

// holdAbsent deletes what is absent: with its ETag, on trial and for real.
func holdAbsent(w *servertest.World, person, path string, told bool) {
	w.T.Helper()
	name, dry := person+": DELETE "+path, path+"?dryRun=true"
	if strings.Contains(path, "?") {
		dry = path + "&dryRun=true"
	}
	for _, request := range []struct {
		path, ifMatch string
		status        int
	}{{path, `"7"`, http.StatusPreconditionFailed}, {path, "*", http.StatusPreconditionFailed}, {dry, "", http.StatusNoContent}, {path, "", http.StatusNoContent}} {
		a := w.Raw(person, http.MethodDelete, request.path, nil, "If-Match", request.ifMatch)
		absent := a.Header.Get(api.AbsentHeader)
		switch {
		case told && (a.Status != request.status || (a.Status == http.StatusNoContent) != (absent == "true")):
			w.T.Errorf("%s, If-Match %s: %d %s %q", name, request.ifMatch, a.Status, a.Body, absent)
		case !told && request.ifMatch == `"7"` && a.Status == http.StatusPreconditionFailed && strings.Contains(path, "/requested-reviewers/"):
			// it names the change request, which may be seen
		case !told && (a.Status != http.StatusNotFound && a.Status != http.StatusForbidden || absent != ""):
			w.T.Errorf("%s, If-Match %s: %d %s %q", name, request.ifMatch, a.Status, a.Body, absent)
		}
	}
}

// What is hidden or lies in the trash answers as what is absent, and what is there says that it was.
func TestDeleteOfWhatIsHidden(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		hidden := servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.Org, Body: api.SpaceCreate{Title: "Hidden"}}).ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: hidden, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()}})
		space, collection := "/v1/spaces/", "/v1/collections/"
		for _, person := range []string{"creator", "reviewer", "reader", "guest", "stranger"} {
			for _, pair := range [][2]string{
				{space + hidden, absentPath(space + hidden)},
				{space + s.Trash, absentPath(space + s.Trash)},
				{collection + s.Trashed, absentPath(collection + s.Trashed)},
				{space + hidden + "/permissions/users/" + w.Users["reader"].ID, absentPath(space+hidden) + "/permissions/users/" + w.Users["reader"].ID},
				{"/v1/orgs/" + s.Gone + "?title=Gone", absentPath("/v1/orgs/" + s.Gone + "?title=Gone")},
			} {
				there, absent := answerOf(w, person, pair[0]), answerOf(w, person, pair[1])
				if there != absent {
					t.Errorf("%s: %s: %s\n%s: %s", person, pair[0], there, pair[1], absent)
				}
			}
		}
		for _, path := range []string{space + s.Trash, collection + s.Trashed} {
			holdAbsent(w, "admin", path, true)
		}
		a := w.Raw("admin", http.MethodDelete, space+hidden, nil)
		servertest.Equal(t, "present", http.StatusResetContent, a.Status)
		servertest.Equal(t, "header", "", a.Header.Get(api.AbsentHeader))
		holdAbsent(w, "admin", space+hidden, true)
	})
}

// answerOf is what a delete answers, but for the id of the request.
func answerOf(w *servertest.World, person, path string) string {
	w.T.Helper()
	a := w.Raw(person, http.MethodDelete, path, nil)
	return http.StatusText(a.Status) + requestIDs.ReplaceAllString(string(a.Body), "") + a.Header.Get(api.AbsentHeader)
}

var requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)
