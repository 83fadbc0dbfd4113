package orgs_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// memberTokens lists the tokens of a member as the admin sees them.
func memberTokens(w *servertest.World, name string) map[string]api.MemberToken {
	w.T.Helper()
	found := map[string]api.MemberToken{}
	in := api.ListMemberTokensInput{MemberRef: api.MemberRef{Organization: w.Org, User: w.Users[name].ID}}
	for _, t := range servertest.Do(w, "admin", api.ListMemberTokens, in).Items {
		found[t.ID] = t
	}
	return found
}

// endToken ends a token of a member as the admin.
func endToken(w *servertest.World, name, token string) {
	w.T.Helper()
	servertest.Do(w, "admin", api.DeleteMemberToken, memberTokenRef(w, name, token))
}

func memberTokenRef(w *servertest.World, name, token string) api.MemberTokenRef {
	return api.MemberTokenRef{MemberRef: api.MemberRef{Organization: w.Org, User: w.Users[name].ID}, Token: token}
}

func organizationPath(org string) string { return "/v1/orgs/" + org }

// statusIn returns the status of a request in an organization.
func statusIn(w *servertest.World, as, org string) int {
	w.T.Helper()
	return w.Send(as, http.MethodGet, organizationPath(org), nil).Status
}

// TestAdminsSeeTokensThatOpenTheirOrganization checks what the tokens of a member show to admins.
func TestAdminsSeeTokensThatOpenTheirOrganization(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		other := servertest.NewOrganization(w, "Elsewhere", "editor")
		bound := servertest.NewToken(w, "editor", "for the build", api.TokenCreate{Organization: api.Some(w.Org)})
		free := servertest.NewToken(w, "editor", "private name", api.TokenCreate{})
		elsewhere := servertest.NewToken(w, "editor", "elsewhere", api.TokenCreate{Organization: api.Some(other)})
		short := servertest.NewToken(w, "editor", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
		servertest.Equal(t, "status", http.StatusOK, statusIn(w, "private name", w.Org))
		servertest.Equal(t, "status", http.StatusOK, statusIn(w, "for the build", w.Org))
		w.Clock.Advance(2 * time.Minute)

		list := w.Call("admin", http.MethodGet, organizationPath(w.Org)+"/members/"+w.Users["editor"].ID+"/tokens", nil, http.StatusOK).Body
		servertest.Equal(t, "users in a list of three", 3, strings.Count(string(list), `"user":`))
		found := memberTokens(w, "editor")
		servertest.Equal(t, "bound", "for the build", found[bound.ID].Name)
		servertest.Equal(t, "organization", w.Org, found[bound.ID].Organization)
		servertest.Equal(t, "name of an unbound token", "", found[free.ID].Name)
		servertest.Equal(t, "parent of an unbound token", "", found[free.ID].Parent)
		servertest.Equal(t, "scopes", free.Scopes, found[free.ID].Scopes)
		if used := found[free.ID].LastUsedAt; used.IsZero() {
			t.Error("the use of the unbound token is not shown")
		}
		for _, hidden := range []string{elsewhere.ID, short.ID} {
			if _, is := found[hidden]; is {
				t.Errorf("token %s does not open the organization", hidden)
			}
		}
		w.Call("elsewhere", http.MethodGet, organizationPath(other), nil, http.StatusOK)
		for _, as := range []string{"editor", "reader"} {
			w.Call(as, http.MethodGet, organizationPath(w.Org)+"/members/"+w.Users["editor"].ID+"/tokens", nil, http.StatusForbidden)
		}
		w.Call("admin", http.MethodGet, organizationPath(other)+"/members/"+w.Users["reader"].ID+"/tokens", nil, http.StatusNotFound)
		w.Call("admin", http.MethodDelete, organizationPath(w.Org)+"/members/"+w.Users["editor"].ID+"/tokens/"+elsewhere.ID, nil,
			http.StatusNotFound)
		w.Call("admin", http.MethodDelete, organizationPath(w.Org)+"/members/"+w.Users["editor"].ID+"/tokens/t_none", nil,
			http.StatusNotFound)
	})
}

// TestAdminsEndTokens checks that a bound token is deleted with its descendants, and that another one ends for the organization only,
// with the tokens that it makes before and afterwards.
func TestAdminsEndTokens(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		other := servertest.NewOrganization(w, "Elsewhere", "editor")
		bound := servertest.NewToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
		servertest.NewToken(w, "bound", "bound child", api.TokenCreate{})
		free := servertest.NewToken(w, "editor", "free", api.TokenCreate{})
		servertest.NewToken(w, "free", "free child", api.TokenCreate{})
		servertest.NewToken(w, "free", "bound child of free", api.TokenCreate{Organization: api.Some(w.Org)})
		servertest.NewToken(w, "free", "other child of free", api.TokenCreate{Organization: api.Some(other)})
		space := w.NewSpace()
		author := servertest.NewToken(w, "creator", "author", api.TokenCreate{})
		link := w.CreateLinkInvite("author", api.LinkInviteCreate{Level: api.RoleRead, Space: space.ID})

		w.WantUntouched(func() api.Error {
			path := organizationPath(w.Org) + "/members/" + w.Users["editor"].ID + "/tokens/" + free.ID
			w.Call("admin", http.MethodDelete, path+"?dryRun=true", nil, http.StatusOK)
			return api.Error{}
		})
		endToken(w, "editor", bound.ID)
		endToken(w, "editor", free.ID)
		endToken(w, "creator", author.ID)
		for _, gone := range []string{"bound", "bound child", "bound child of free"} {
			servertest.Equal(t, "the token "+gone+" works", false, servertest.TokenWorks(w, gone))
		}
		servertest.NewToken(w, "free", "later child", api.TokenCreate{})
		servertest.Refused(w, "free", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.Org)},
		}, http.StatusForbidden, api.ReasonTokenEndedHere)
		w.Call("free", http.MethodGet, "/v1/content?url="+url.QueryEscape(space.URLs.App), nil, http.StatusNotFound)
		servertest.Refused(w, "stranger", api.AcceptInvite, api.AcceptInviteInput{Body: api.InviteAccept{Secret: link.Secret}},
			http.StatusConflict, api.ReasonState)
		for _, ended := range []string{"free", "free child", "later child"} {
			refusal := w.Send(ended, http.MethodGet, organizationPath(w.Org), nil)
			if refusal.Status != http.StatusForbidden || !strings.Contains(string(refusal.Body), string(api.ReasonTokenEndedHere)) {
				t.Errorf("%s: %d %s", ended, refusal.Status, refusal.Body)
			}
			servertest.Equal(t, "status elsewhere", http.StatusOK, statusIn(w, ended, other))
			for _, o := range servertest.Do(w, ended, api.ListOrganizations, api.ListOrganizationsInput{}).Items {
				if o.ID == w.Org {
					t.Errorf("%s lists the organization", ended)
				}
			}
		}
		servertest.Equal(t, "other child", http.StatusOK, statusIn(w, "other child of free", other))
		servertest.Equal(t, "the first token", http.StatusOK, statusIn(w, "editor", w.Org))
		for _, tk := range servertest.Do(w, "editor", api.ListTokens, api.ListTokensInput{}).Items {
			if tk.ID == free.ID {
				servertest.Equal(t, "organizations that ended it", []string{w.Org}, tk.EndedIn)
			}
		}
		if _, is := memberTokens(w, "editor")[free.ID]; is {
			t.Error("the ended token is listed")
		}
		seen := servertest.Do(w, "editor", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: api.DeleteMemberToken.Name},
		}).Items
		servertest.Equal(t, "events that the member sees", 2, len(seen))
		others := servertest.Do(w, "reader", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: "member-tokens"},
		}).Items
		servertest.Equal(t, "events that another member sees", 0, len(others))
		w.Call("admin", http.MethodDelete, organizationPath(w.Org)+"/members/"+w.Users["editor"].ID+"/tokens/"+free.ID, nil,
			http.StatusNotFound)
	})
}

// TestEndOfTokenIsCompleted checks that a job ends the token if the process stops after the commit in the organization.
func TestEndOfTokenIsCompleted(t *testing.T) {
	t.Parallel()
	for name, complete := range map[string]func(w *servertest.World, path string){
		"job": func(w *servertest.World, _ string) {
			w.Clock.Advance(2 * store.UserJobTime)
			servertest.RunJobs(w)
		},
		"repeated request": func(w *servertest.World, path string) {
			w.Call("admin", http.MethodDelete, path, nil, http.StatusResetContent, "Idempotency-Key", "the same")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servertest.NewInterference(t)
			token := servertest.NewToken(w.World, "editor", "free", api.TokenCreate{})
			path := organizationPath(w.Org) + "/members/" + w.Users["editor"].ID + "/tokens/" + token.ID
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, http.MethodDelete, path, nil)
			r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
			r.Header.Set("Idempotency-Key", "the same")
			_, more := w.BeforeWrite(2, cancel, func() servertest.Response { // the first is the commit in the organization
				recorder := httptest.NewRecorder()
				w.Handler.ServeHTTP(recorder, r)
				return servertest.Response{Status: recorder.Code}
			})
			servertest.Equal(t, "the request was cut off", true, more)
			servertest.Equal(t, "status", http.StatusOK, statusIn(w.World, "free", w.Org))
			complete(w.World, path)
			servertest.Equal(t, "status", http.StatusForbidden, statusIn(w.World, "free", w.Org))
		})
	}
}

// TestKeyOfOtherRequestEndsNoToken checks that a request with the idempotency key of another one, or a dry run, ends nothing.
func TestKeyOfOtherRequestEndsNoToken(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	first := servertest.NewToken(w, "editor", "first", api.TokenCreate{})
	second := servertest.NewToken(w, "editor", "second", api.TokenCreate{})
	path := organizationPath(w.Org) + "/members/" + w.Users["editor"].ID + "/tokens/"
	w.Call("admin", http.MethodDelete, path+first.ID, nil, http.StatusResetContent, "Idempotency-Key", "the same")
	for _, query := range []string{"", "?dryRun=true"} {
		w.Call("admin", http.MethodDelete, path+second.ID+query, nil, http.StatusUnprocessableEntity, "Idempotency-Key", "the same")
		servertest.Equal(t, "status", http.StatusOK, statusIn(w, "second", w.Org))
	}
}

// TestFormerMembersAreNotFound checks that a token that was ended for an organization has the answers of others once its user has left.
func TestFormerMembersAreNotFound(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	endToken(w, "editor", servertest.NewToken(w, "editor", "free", api.TokenCreate{}).ID)
	servertest.Equal(t, "status of a member", http.StatusForbidden, statusIn(w, "free", w.Org))
	w.RemoveMember("editor")
	servertest.Equal(t, "status of a former member", http.StatusNotFound, statusIn(w, "free", w.Org))
}

// tokenEvents returns the kinds of the events of tokens in the log of an organization as an admin sees them, the latest first.
func tokenEvents(w *servertest.World, org string) (found []api.Event) {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListEvents, api.ListEventsInput{
		Organization: org, EventFilter: api.EventFilter{Kind: "tokens"},
	}).Items
}

// TestEventsOfTokensReachOrganizations checks that the events of a token are in the logs of those organizations that it opens, once, and
// without its name.
func TestEventsOfTokensReachOrganizations(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		other := servertest.NewOrganization(w, "Elsewhere", "editor")
		bound := servertest.NewToken(w, "editor", "secret purpose", api.TokenCreate{Organization: api.Some(w.Org)})
		free := servertest.NewToken(w, "editor", "secret purpose 2", api.TokenCreate{})
		servertest.Do(w, "editor", api.RotateToken, servertest.RotateInput(free.ID, 0))
		servertest.Do(w, "editor", api.DeleteToken, api.TokenRef{Token: bound.ID})
		w.Clock.Advance(2 * store.UserJobTime)
		servertest.RunJobs(w) // the jobs find nothing that is not copied
		kinds := func(org string) (found []string) {
			for _, e := range tokenEvents(w, org) {
				if e.By == nil || e.By.ID != w.Users["editor"].ID {
					t.Errorf("%s by %v", e.Kind, e.By)
				}
				found = append(found, e.Kind+" "+e.Target.ID)
			}
			return found
		}
		servertest.Equal(t, "events", []string{
			"tokens.delete " + bound.ID, "tokens.rotate " + free.ID, "tokens.create " + free.ID, "tokens.create " + bound.ID,
		}, kinds(w.Org))
		servertest.Equal(t, "events elsewhere", []string{"tokens.rotate " + free.ID, "tokens.create " + free.ID}, kinds(other))
		audit := string(w.Call("admin", http.MethodGet, organizationPath(w.Org)+"/audit-events?limit=1000", nil, http.StatusOK).Body)
		if strings.Contains(audit, "secret purpose") {
			t.Error("the audit log has the name of a token")
		}
		theirs := servertest.Do(w, "reader", api.ListEvents, api.ListEventsInput{
			Organization: w.Org, EventFilter: api.EventFilter{Kind: "tokens"},
		}).Items
		servertest.Equal(t, "events that others see", 0, len(theirs))
	})
}

// TestEventsOfTokensAreCopiedByJob checks that a job copies the events if the process stops after the change.
func TestEventsOfTokensAreCopiedByJob(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	user := w.Users["editor"].ID
	follow := func() {
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			_, err := tx.FollowTokens(w.Org, user, "", store.StartOfEvents)
			return err
		}))
	}
	follow()
	w.Must(w.Store.Update(t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for range 150 { // more than one transaction copies
			tx.Event(map[string]string{"type": api.CreateToken.Name, "at": "1796000000000", "actor": user, "id": "t_1"})
		}
		tx.Event(map[string]string{"type": api.UpdateUser.Name, "at": "1796000000000", "actor": user, "id": user})
		return nil
	}))
	w.Clock.Advance(2 * store.UserJobTime)
	servertest.RunJobs(w)
	servertest.Equal(t, "events", 150, len(allTokenEvents(w)))
	follow()
	w.Clock.Advance(2 * store.UserJobTime)
	servertest.RunJobs(w)
	servertest.Equal(t, "events after another job", 150, len(allTokenEvents(w)))
	w.RemoveMember("editor")
	follow()
	if _, followed := w.Dump()["{"+w.Org+"}:followed"]; followed {
		t.Error("the events of a former member are followed")
	}
}

// TestCopiesContinueAfterFailover checks that events are copied after a failover that has taken away the last ones of the user, with
// ids that are less than those of before.
func TestCopiesContinueAfterFailover(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	user := w.Users["editor"].ID
	for _, position := range []string{"9999999999999-0", "damaged"} {
		before := len(allTokenEvents(w))
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.SetField(store.FollowedKey(w.Org), user, position)
			return nil
		}))
		servertest.NewToken(w, "editor", "after "+position, api.TokenCreate{})
		servertest.Equal(t, "events", before+1, len(allTokenEvents(w)))
	}
}

func allTokenEvents(w *servertest.World) []api.Event {
	w.T.Helper()
	return servertest.Do(w, "admin", api.ListEvents, api.ListEventsInput{
		Organization: w.Org, EventFilter: api.EventFilter{Kind: "tokens"}, ListOptions: api.ListOptions{Limit: api.Some(1000)},
	}).Items
}
