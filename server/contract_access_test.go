package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// anonymous is an answer's body without what is different in every answer.
func anonymous(a servertest.Answer) string {
	return regexp.MustCompile(`"requestId":"[^"]*"`).ReplaceAllString(string(a.Body), `"requestId":""`)
}

// Without a valid token every operation answers 401, and nothing in the answer tells why.
func TestEveryRowNeedsToken(t *testing.T) {
	t.Parallel()
	w, s := servertest.Sampled(t, storetest.Memory())
	servertest.WrongTokens(w)
	before := w.Dump()
	for _, row := range api.Rows() {
		path, body := w.PathOf(row, s), w.BodyOf(row, s)
		var headers []string
		if row.Name == api.ListIntegrations.Name || row.Name == api.ListSAMLProviderLogins.Name || row.Name == api.AcceptInvite.Name || row.Name == api.GetServer.Name { // serves everybody, but no wrong token
			headers = []string{"Authorization", "Bearer wrong"}
		}
		first := w.Raw("", row.Method, path, body, headers...)
		if first.Status != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %s", row.Name, first.Status, first.Body)
		}
		for name := range w.Tokens {
			if !strings.HasPrefix(name, "wrong: ") {
				continue
			}
			a := w.Raw(name, row.Method, path, body)
			if a.Status != http.StatusUnauthorized || anonymous(a) != anonymous(first) {
				t.Errorf("%s with a token that is %s: %d %s", row.Name, name, a.Status, a.Body)
			}
		}
		for _, header := range []string{"Basic " + w.Tokens["admin"], w.Tokens["admin"], "Bearer", "Bearer ", "Bearer a b"} {
			if a := w.Raw("", row.Method, path, body, "Authorization", header); a.Status != http.StatusUnauthorized || anonymous(a) != anonymous(first) {
				t.Errorf("%s with Authorization %q: %d %s", row.Name, header, a.Status, a.Body)
			}
		}
	}
	servertest.Unchanged(w, before, "after requests without a valid token")
}

// A revoked token stops at once.
func TestRevokedToken(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := servertest.Do(w, "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "spare"}})
		w.Tokens["spare"] = made.Token
		w.Call("spare", http.MethodGet, "/v1/user", nil, http.StatusOK)
		servertest.Do(w, "reader", api.DeleteToken, api.TokenRef{Token: made.ID})
		w.Call("spare", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
		servertest.Absent(w, "reader", api.DeleteToken, api.TokenRef{Token: made.ID})
	})
}

// A token with the scope read reads what its user may, and writes nothing; one with the scope write gives nobody access.
func TestScopes(t *testing.T) {
	t.Parallel()
	w, s := servertest.Sampled(t, storetest.Memory())
	for _, as := range []string{servertest.AdminReading, servertest.AdminWriting} {
		w.Call(as, http.MethodGet, "/v1/user", nil, http.StatusOK) // notes its use
	}
	w.Indexed()
	before := w.Dump()
	for _, e := range servertest.MayAnswer(t) {
		row := e.Row
		beyond := e.Scope() != api.ScopeRead || row.Name == api.RotateToken.Name // of a token that is not the caller's
		if e.Scope() == api.ScopeAdmin {
			refused403(w, servertest.AdminWriting, row, s)
		}
		a := w.Raw(servertest.AdminReading, row.Method, w.PathOf(row, s), w.BodyOf(row, s))
		switch {
		case !beyond && a.Status != row.Status:
			t.Errorf("%s with the scope read: %d %s", row.Name, a.Status, a.Body)
		case beyond && (a.Status != http.StatusForbidden || a.Error().Reason != api.ReasonForbidden || !strings.Contains(a.Error().Message, "scope")):
			t.Errorf("%s with the scope read: %d %s", row.Name, a.Status, a.Body)
		}
	}
	servertest.Unchanged(w, before, "after writing with the scope read")
	w.Call(servertest.AdminWriting, http.MethodPatch, "/v1/spaces/"+s.Handbook, api.SpacePatch{Title: api.Some("A")}, http.StatusOK)
	servertest.Refused(w, servertest.AdminWriting, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "more"}}, http.StatusForbidden, api.ReasonForbidden)
	servertest.Refused(w, servertest.AdminWriting, api.DeleteToken, api.TokenRef{Token: s.Token}, http.StatusForbidden, api.ReasonForbidden)
}

// refused403 fails the test unless a token lacks the scope for a row.
func refused403(w *servertest.World, as string, row api.Row, s *servertest.Sample) {
	w.T.Helper()
	a := w.Raw(as, row.Method, w.PathOf(row, s), w.BodyOf(row, s))
	if a.Status != http.StatusForbidden || !strings.Contains(a.Error().Message, "scope") {
		w.T.Errorf("%s as %s: %d %s", row.Name, as, a.Status, a.Body)
	}
}

// A token that is bound to an organization is worth nothing in another, and makes none that is not.
func TestBoundToken(t *testing.T) {
	t.Parallel()
	w, s := servertest.Sampled(t, storetest.Memory())
	made := servertest.Do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.OtherOrg)}})
	w.Tokens["bound"] = made.Token
	missing := w.Call("stranger", http.MethodGet, "/v1/spaces/"+s.Handbook, nil, http.StatusNotFound)
	if a := w.Call("bound", http.MethodGet, "/v1/spaces/"+s.Handbook, nil, http.StatusNotFound); anonymous(a) != anonymous(missing) {
		t.Errorf("in another organization: %s", a.Body)
	}
	if list := servertest.Do(w, "bound", api.ListOrganizations, api.ListOrganizationsInput{}); list.Count != 0 {
		t.Errorf("it lists %d organizations", list.Count)
	}
	servertest.Refused(w, "bound", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "New"}}, http.StatusForbidden, api.ReasonForbidden)
	servertest.Refused(w, "bound", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "free", Organization: api.Some(w.Org)}}, http.StatusUnprocessableEntity, api.ReasonInvalid)
}

// To a stranger nothing exists: the answer is that for an id that nothing has.
func TestStrangersSeeNothing(t *testing.T) {
	t.Parallel()
	servertest.EachSampled(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		w.Call("stranger", http.MethodGet, "/v1/user", nil, http.StatusOK)
		w.Indexed()
		before := w.Dump()
		for _, row := range api.Rows() {
			names := servertest.Subjects(row)
			if len(names) == 0 || row.Name == api.DeleteToken.Name || row.Name == api.FindOrganization.Name || row.Name == api.JoinOrganization.Name {
				continue // one's own account, and what is open to the domain of one's e-mail address
			}
			if row.Name == api.ListSAMLProviderLogins.Name {
				continue // serves everybody
			}
			body := w.BodyOf(row, s)
			theirs := w.Raw("stranger", row.Method, w.PathOf(row, s), body)
			if theirs.Status != http.StatusNotFound {
				t.Errorf("%s as a stranger: %d %s", row.Name, theirs.Status, theirs.Body)
			}
			for _, name := range names {
				for _, id := range missingIDs(w, name) {
					if row.Name == api.PublishIntegration.Name || row.Name == api.SubmitChangeRequestReview.Name && name == "submission" || row.Name == api.PutOpenAPISpec.Name && name == "spec" {
						continue // makes what is missing
					}
					as := w.Raw("admin", row.Method, w.PathWith(row, s, map[string]string{name: id}), body)
					if as.Header.Get(api.AbsentHeader) != "" {
						continue // to an admin, all that is missing is deleted: TestDeleteOfWhatIsAbsent
					}
					if as.Status != http.StatusNotFound || anonymous(as) != anonymous(theirs) {
						t.Errorf("%s with a missing %s %s: %d %s, to a stranger %s", row.Name, name, id, as.Status, as.Body, theirs.Body)
					}
				}
			}
		}
		servertest.Unchanged(w, before, "after a stranger's requests")
	})
}

// missingIDs are well-formed ids that nothing has: of this organization, of another, of none.
func missingIDs(w *servertest.World, name string) []string {
	home := strings.TrimPrefix(w.Org, "o_")
	ids := map[string][]string{
		"space":        {"s_" + home + "00000000000000", "s_" + strings.TrimPrefix(w.OtherOrg, "o_") + "00000000000000", "s_1", "x", "l_" + home + "00000000000000"},
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

// The parts of one thing are not found under another: the path is believed as a whole.
func TestPathsAreBelievedAsAWhole(t *testing.T) {
	t.Parallel()
	w, s := servertest.Sampled(t, storetest.Memory())
	other := w.Request("admin", s.Notes, "Other")
	note := servertest.Do(w, "admin", api.CreateComment, api.CreateCommentInput{Space: s.Notes, Body: api.CommentCreate{Body: servertest.Says("Note")}})
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
