package server_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// withoutVariableParts returns the body of a response without the parts that differ between two responses.
func withoutVariableParts(a servertest.Response) string {
	return regexp.MustCompile(`"requestId":"[^"]*"`).ReplaceAllString(string(a.Body), `"requestId":""`)
}

// TestEveryOperationNeedsToken checks that all operations respond with 401 without a valid token and do not reveal why.
func TestEveryOperationNeedsToken(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	servertest.AddInvalidTokens(w)
	before := w.Dump()
	for _, row := range api.Rows() {
		path, body := w.SamplePath(row, s), w.SampleBody(row, s)
		var headers []string
		// public, but an invalid token is refused
		if row.Name == api.ListIntegrations.Name || row.Name == api.ListSAMLProviderLogins.Name || row.Name == api.AcceptInvite.Name ||
			row.Name == api.GetServer.Name {
			headers = []string{"Authorization", "Bearer wrong"}
		}
		first := w.Send("", row.Method, path, body, headers...)
		if first.Status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s", row.Name, first.Status, first.Body)
		}
		for name := range w.Tokens {
			if !strings.HasPrefix(name, "wrong: ") {
				continue
			}
			a := w.Send(name, row.Method, path, body)
			if a.Status != http.StatusUnauthorized || withoutVariableParts(a) != withoutVariableParts(first) {
				t.Errorf("%s with a token that is %s: %d %s", row.Name, name, a.Status, a.Body)
			}
		}
		for _, header := range []string{"Basic " + w.Tokens["admin"], w.Tokens["admin"], "Bearer", "Bearer ", "Bearer a b"} {
			if a := w.Send("", row.Method, path, body, "Authorization", header); a.Status != http.StatusUnauthorized ||
				withoutVariableParts(a) != withoutVariableParts(first) {
				t.Errorf("%s with Authorization %q: %d %s", row.Name, header, a.Status, a.Body)
			}
		}
	}
	servertest.WantUnchanged(w, before, "after requests without a valid token")
}

// TestRevokedTokenIsRejected checks that a revoked token is refused at once.
func TestRevokedTokenIsRejected(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := servertest.Do(w, "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}})
		w.Tokens["spare"] = made.Token
		w.Call("spare", http.MethodGet, "/v1/user", nil, http.StatusOK)
		servertest.Do(w, "reader", api.DeleteToken, api.TokenRef{Token: made.ID})
		w.Call("spare", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
		servertest.DeleteAbsent(w, "reader", api.DeleteToken, api.TokenRef{Token: made.ID})
	})
}

// TestScopesLimitTokens checks that a read token cannot write and a write token cannot change access.
func TestScopesLimitTokens(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for _, as := range []string{servertest.AdminReading, servertest.AdminWriting} {
		w.Call(as, http.MethodGet, "/v1/user", nil, http.StatusOK) // records the use of the token
	}
	w.UpdateIndex()
	before := w.Dump()
	// Rows that take more than their scope for some requests: the rotation of a token other than the caller's, and joining an
	// organization with a token that wsd did not create for its user.
	more := []string{api.RotateToken.Name, api.AcceptInvite.Name, api.JoinInvite.Name, api.JoinOrganization.Name}
	for _, e := range servertest.AllowedEndpoints(t) {
		row := e.Row
		beyond := e.Scope() != api.ScopeRead || slices.Contains(more, row.Name)
		if e.Scope() == api.ScopeAdmin || slices.Contains(more, row.Name) {
			wantMissingScope(w, servertest.AdminWriting, row, s)
		}
		a := w.Send(servertest.AdminReading, row.Method, w.SamplePath(row, s), w.SampleBody(row, s))
		switch {
		case !beyond && a.Status != row.Status:
			t.Errorf("%s with the scope read: %d %s", row.Name, a.Status, a.Body)
		case beyond && (a.Status != http.StatusForbidden || a.Error().Reason != api.ReasonForbidden ||
			!strings.Contains(a.Error().Message, "scope")):
			t.Errorf("%s with the scope read: %d %s", row.Name, a.Status, a.Body)
		}
	}
	servertest.WantUnchanged(w, before, "after writing with the scope read")
	w.Call(servertest.AdminWriting, http.MethodPatch, "/v1/spaces/"+s.Handbook, api.SpacePatch{Title: api.Some("A")}, http.StatusOK)
	servertest.Refused(w, servertest.AdminWriting, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "more"}},
		http.StatusForbidden, api.ReasonForbidden)
	servertest.Refused(w, servertest.AdminWriting, api.DeleteToken, api.TokenRef{Token: s.Token}, http.StatusForbidden, api.ReasonForbidden)
}

// wantMissingScope fails the test unless the sample request of a row is refused because the token lacks the scope.
func wantMissingScope(w *servertest.World, as string, row api.Row, s *servertest.Sample) {
	w.T.Helper()
	a := w.Send(as, row.Method, w.SamplePath(row, s), w.SampleBody(row, s))
	if a.Status != http.StatusForbidden || !strings.Contains(a.Error().Message, "scope") {
		w.T.Errorf("%s as %s: %d %s", row.Name, as, a.Status, a.Body)
	}
}

// TestBoundTokenIsLimitedToOrganization checks that a token bound to an organization gives no access to another one
// and creates only tokens with the same bound.
func TestBoundTokenIsLimitedToOrganization(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	made := servertest.Do(w, "admin", api.CreateToken, api.CreateTokenInput{
		Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.OtherOrg)},
	})
	w.Tokens["bound"] = made.Token
	missing := w.Call("stranger", http.MethodGet, "/v1/spaces/"+s.Handbook, nil, http.StatusNotFound)
	if a := w.Call("bound", http.MethodGet, "/v1/spaces/"+s.Handbook, nil,
		http.StatusNotFound); withoutVariableParts(a) != withoutVariableParts(missing) {
		t.Errorf("in another organization: %s", a.Body)
	}
	if list := servertest.Do(w, "bound", api.ListOrganizations, api.ListOrganizationsInput{}); list.Count != 0 {
		t.Errorf("it lists %d organizations", list.Count)
	}
	servertest.Refused(w, "bound", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "New"}},
		http.StatusForbidden, api.ReasonForbidden)
	servertest.Refused(w, "bound", api.CreateToken, api.CreateTokenInput{
		Body: api.TokenCreate{Name: "free", Organization: api.Some(w.Org)},
	}, http.StatusUnprocessableEntity, api.ReasonInvalid)
}

// TestForeignUsersSeeNothing checks that a user of another organization gets the response for an id that does not
// exist.
func TestForeignUsersSeeNothing(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		w.Call("stranger", http.MethodGet, "/v1/user", nil, http.StatusOK)
		w.UpdateIndex()
		before := w.Dump()
		for _, row := range api.Rows() {
			names := servertest.Subjects(row)
			if len(names) == 0 || row.Name == api.DeleteToken.Name || row.Name == api.FindOrganization.Name ||
				row.Name == api.JoinOrganization.Name {
				continue // the caller's account, and organizations open to the domain of the caller's e-mail address
			}
			if row.Name == api.ListSAMLProviderLogins.Name {
				continue // public
			}
			body := w.SampleBody(row, s)
			theirs := w.Send("stranger", row.Method, w.SamplePath(row, s), body)
			if theirs.Status != http.StatusNotFound {
				t.Errorf("%s as a stranger: %d %s", row.Name, theirs.Status, theirs.Body)
			}
			for _, name := range names {
				for _, id := range missingIDs(w, name) {
					if row.Name == api.PublishIntegration.Name || row.Name == api.SubmitChangeRequestReview.Name && name == "submission" ||
						row.Name == api.PutOpenAPISpec.Name && name == "spec" {
						continue // creates the object
					}
					as := w.Send("admin", row.Method, w.SamplePathWith(row, s, map[string]string{name: id}), body)
					if as.Header.Get(api.AbsentHeader) != "" {
						continue // for an admin, absent objects count as deleted: TestDeleteAbsentObject
					}
					if as.Status != http.StatusNotFound || withoutVariableParts(as) != withoutVariableParts(theirs) {
						t.Errorf("%s with a missing %s %s: %d %s, to a stranger %s", row.Name, name, id, as.Status, as.Body, theirs.Body)
					}
				}
			}
		}
		servertest.WantUnchanged(w, before, "after a stranger's requests")
	})
}

// missingIDs returns well-formed ids that do not exist: of this organization, of another, and of none.
func missingIDs(w *servertest.World, name string) []string {
	home := strings.TrimPrefix(w.Org, "o_")
	ids := map[string][]string{
		"space": {
			"s_" + home + "00000000000000", "s_" + strings.TrimPrefix(w.OtherOrg, "o_") + "00000000000000", "s_1", "x", "l_" + home +
				"00000000000000",
		},
		"collection":   {"l_" + home + "00000000000000", "l_1", "x"},
		"organization": {"o_00000000000000", w.OtherOrg, "x", "u_1"},
		"language":     {}, // a word, not an id
		"subdomain":    {"none", "x-99"},
		"emailDomain":  {"none.example", "example.com"},
		"spec":         {"none", "x-99", "0"},
	}
	if list, ok := ids[name]; ok {
		return list
	}
	return []string{"00000000000000", "x_99", "99", "0", "_", "-"}
}

// TestObjectIsNotFoundBelowOtherParent checks that the parts of an object are not found below another one.
func TestObjectIsNotFoundBelowOtherParent(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	other := w.CreateRequest("admin", s.Notes, "Other")
	note := servertest.Do(w, "admin", api.CreateComment, api.CreateCommentInput{
		Space: s.Notes, Body: api.CommentCreate{Body: servertest.CommentBody("Note")},
	})
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
		"/v1/orgs/" + w.Org + "/../" + w.Org,
	} {
		w.Call("admin", http.MethodGet, path, nil, http.StatusNotFound)
	}
	w.Call("admin", http.MethodGet, handbook+"/change-requests/2", nil, http.StatusOK)
}
