package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// anonymous is an answer's body without what is different in every answer.
func anonymous(a answer) string {
	return regexp.MustCompile(`"requestId":"[^"]*"`).ReplaceAllString(string(a.Body), `"requestId":""`)
}

// Without a valid token every operation answers 401, and nothing in the answer tells why.
func TestEveryRowNeedsToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	wrongTokens(w)
	before := w.dump()
	for _, row := range api.Rows() {
		path, body := w.pathOf(row, s), w.bodyOf(row, s)
		var headers []string
		if row.Name == api.ListIntegrations.Name || row.Name == api.ListSAMLProviderLogins.Name || row.Name == api.AcceptInvite.Name { // serves everybody, but no wrong token
			headers = []string{"Authorization", "Bearer wrong"}
		}
		first := w.raw("", row.Method, path, body, headers...)
		if first.Status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s", row.Name, first.Status, first.Body)
		}
		for name := range w.tokens {
			if !strings.HasPrefix(name, "wrong: ") {
				continue
			}
			a := w.raw(name, row.Method, path, body)
			if a.Status != http.StatusUnauthorized || anonymous(a) != anonymous(first) {
				t.Errorf("%s with a token that is %s: %d %s", row.Name, name, a.Status, a.Body)
			}
		}
		for _, header := range []string{"Basic " + w.tokens["admin"], w.tokens["admin"], "Bearer", "Bearer ", "Bearer a b"} {
			if a := w.raw("", row.Method, path, body, "Authorization", header); a.Status != http.StatusUnauthorized || anonymous(a) != anonymous(first) {
				t.Errorf("%s with Authorization %q: %d %s", row.Name, header, a.Status, a.Body)
			}
		}
	}
	unchanged(w, before, "after requests without a valid token")
}

// A revoked token stops at once.
func TestRevokedToken(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		made := do(w, "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}})
		w.tokens["spare"] = made.Token
		w.call("spare", http.MethodGet, "/v1/user", nil, http.StatusOK)
		do(w, "reader", api.DeleteToken, api.TokenRef{Token: made.ID})
		w.call("spare", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
		refused(w, "reader", api.DeleteToken, api.TokenRef{Token: made.ID}, http.StatusNotFound, api.ReasonNotFound)
	})
}

// A token with the scope read reads what its user may, and writes nothing; one with the scope write gives nobody access.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	for _, as := range []string{adminReading, adminWriting} {
		w.call(as, http.MethodGet, "/v1/user", nil, http.StatusOK) // notes its use
	}
	w.indexed()
	before := w.dump()
	for _, e := range mounted(t) {
		row := e.Row
		beyond := e.Scope() != api.ScopeRead || row.Name == api.RotateToken.Name // of a token that is not the caller's
		if e.Scope() == api.ScopeAdmin {
			refused403(w, adminWriting, row, s)
		}
		a := w.raw(adminReading, row.Method, w.pathOf(row, s), w.bodyOf(row, s))
		switch {
		case !beyond && a.Status != row.Status:
			t.Errorf("%s with the scope read: %d %s", row.Name, a.Status, a.Body)
		case beyond && (a.Status != http.StatusForbidden || a.Error().Reason != api.ReasonForbidden || !strings.Contains(a.Error().Message, "scope")):
			t.Errorf("%s with the scope read: %d %s", row.Name, a.Status, a.Body)
		}
	}
	unchanged(w, before, "after writing with the scope read")
	w.call(adminWriting, http.MethodPatch, "/v1/spaces/"+s.Handbook, api.SpacePatch{Title: api.Some("A")}, http.StatusOK)
	refused(w, adminWriting, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "more"}}, http.StatusForbidden, api.ReasonForbidden)
	refused(w, adminWriting, api.DeleteToken, api.TokenRef{Token: s.Token}, http.StatusForbidden, api.ReasonForbidden)
}

// refused403 fails the test unless a token lacks the scope for a row.
func refused403(w *world, as string, row api.Row, s *sample) {
	w.t.Helper()
	a := w.raw(as, row.Method, w.pathOf(row, s), w.bodyOf(row, s))
	if a.Status != http.StatusForbidden || !strings.Contains(a.Error().Message, "scope") {
		w.t.Errorf("%s as %s: %d %s", row.Name, as, a.Status, a.Body)
	}
}

// A token that is bound to an organization is worth nothing in another, and makes none that is not.
func TestBoundToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	made := do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.otherOrg)}})
	w.tokens["bound"] = made.Token
	missing := w.call("stranger", http.MethodGet, "/v1/spaces/"+s.Handbook, nil, http.StatusNotFound)
	if a := w.call("bound", http.MethodGet, "/v1/spaces/"+s.Handbook, nil, http.StatusNotFound); anonymous(a) != anonymous(missing) {
		t.Errorf("in another organization: %s", a.Body)
	}
	if list := do(w, "bound", api.ListOrganizations, api.ListOrganizationsInput{}); list.Count != 0 {
		t.Errorf("it lists %d organizations", list.Count)
	}
	refused(w, "bound", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "New"}}, http.StatusForbidden, api.ReasonForbidden)
	refused(w, "bound", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "free", Organization: api.Some(w.org)}}, http.StatusUnprocessableEntity, api.ReasonInvalid)
}

// To a stranger nothing exists: the answer is that for an id that nothing has.
func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		s := w.populate()
		w.call("stranger", http.MethodGet, "/v1/user", nil, http.StatusOK)
		w.indexed()
		before := w.dump()
		for _, row := range api.Rows() {
			names := subjects(row)
			if len(names) == 0 || row.Name == api.FindOrganization.Name || row.Name == api.JoinOrganization.Name {
				continue // one's own account, and what is open to the domain of one's e-mail address
			}
			if row.Name == api.ListSAMLProviderLogins.Name {
				continue // serves everybody
			}
			body := w.bodyOf(row, s)
			theirs := w.raw("stranger", row.Method, w.pathOf(row, s), body)
			if theirs.Status != http.StatusNotFound {
				t.Errorf("%s as a stranger: %d %s", row.Name, theirs.Status, theirs.Body)
			}
			for _, name := range names {
				for _, id := range missingIDs(w, name) {
					if row.Name == api.PublishIntegration.Name || row.Name == api.PutOpenAPISpec.Name && name == "spec" {
						continue // makes what is missing
					}
					as := w.raw("admin", row.Method, w.pathWith(row, s, map[string]string{name: id}), body)
					if as.Status != http.StatusNotFound || anonymous(as) != anonymous(theirs) {
						t.Errorf("%s with a missing %s %s: %d %s, to a stranger %s", row.Name, name, id, as.Status, as.Body, theirs.Body)
					}
				}
			}
		}
		unchanged(w, before, "after a stranger's requests")
	})
}

// missingIDs are well-formed ids that nothing has: of this organization, of another, of none.
func missingIDs(w *world, name string) []string {
	home := strings.TrimPrefix(w.org, "o_")
	ids := map[string][]string{
		"space":        {"s_" + home + "00000000000000", "s_" + strings.TrimPrefix(w.otherOrg, "o_") + "00000000000000", "s_1", "x", "l_" + home + "00000000000000"},
		"collection":   {"l_" + home + "00000000000000", "l_1", "x"},
		"organization": {"o_00000000000000", w.otherOrg, "x", "u_1"},
		"language":     {}, // a word, not an id
		"subdomain":    {"none", "x-99"},
		"spec":         {"none", "x-99", "0"},
	}
	if list, ok := ids[name]; ok {
		return list
	}
	return []string{"00000000000000", "x_99", "99", "0", "_", "-"}
}

// The parts of one thing are not found under another: the path is believed as a whole.
func TestPathsAreBelievedAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	other := w.request("admin", s.Notes, "Other")
	note := do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: s.Notes, Body: api.CommentCreate{Body: says("Note")}})
	handbook, notes := "/v1/spaces/"+s.Handbook, "/v1/spaces/"+s.Notes
	for _, path := range []string{
		notes + "/comments/" + s.Comment.ID,
		handbook + "/comments/" + s.OnRequest.ID,
		handbook + "/comments/" + note.ID,
		handbook + "/comments/" + s.OnRequest.ID + "/replies/" + s.RequestReply.ID,
		handbook + "/comments/" + s.Comment.ID + "/replies/" + s.RequestReply.ID,
		notes + "/comments/" + note.ID + "/replies/" + s.Reply.ID,
		handbook + "/change-requests/" + other.ID,
		notes + "/change-requests/" + s.Request.ID,
		handbook + "/change-requests/1/comments/" + s.OnRequest.ID,
		handbook + "/change-requests/" + s.Request.ID + "/comments/" + s.Comment.ID,
		notes + "/content/page/" + s.Pages["Start"],
		notes + "/content/files/" + s.File,
		handbook + "/content/page/" + s.RequestPage,
		handbook + "/content/files/" + s.RequestFile,
		handbook + "/change-requests/02",
		handbook + "/change-requests/cr_" + strings.TrimPrefix(s.Request.ID, "cr_")[:3] + "_2",
		"/v1/orgs/" + w.org + "/../" + w.org,
	} {
		w.call("admin", http.MethodGet, path, nil, http.StatusNotFound)
	}
	w.call("admin", http.MethodGet, handbook+"/change-requests/2", nil, http.StatusOK)
}
