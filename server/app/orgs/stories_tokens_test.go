package orgs_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// TestChildTokenExpiresWithParent checks that the tokens created by an expiring token, and their descendants, expire
// with it at the latest.
func TestChildTokenExpiresWithParent(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		short := servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Hour)})
		child := servertest.NewToken(w, "short", "child", api.TokenCreate{})
		servertest.NewToken(w, "child", "grandchild", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
		servertest.Equal(t, "end of the child", short.ExpiresAt, child.ExpiresAt)
		servertest.Equal(t, "parent of the child", short.ID, child.Parent)
		for _, as := range []string{"short", "child"} {
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, as, api.CreateToken, api.CreateTokenInput{
					Body: api.TokenCreate{Name: "forever", ExpiresAt: servertest.TimeAfter(w, 2*time.Hour)},
				},
					http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
		}
		w.Clock.Advance(time.Minute)
		servertest.Equal(t, "the grandchild works after its minute", false, servertest.TokenWorks(w, "grandchild"))
		servertest.Equal(t, "the child works within the hour", true, servertest.TokenWorks(w, "child"))
		w.Clock.Advance(time.Hour)
		servertest.Equal(t, "the child works after the hour", false, servertest.TokenWorks(w, "child"))
		servertest.Equal(t, "the root works", true, servertest.TokenWorks(w, "admin"))
	})
}

// TestRevocationIncludesDescendants checks that revoking a token revokes its descendants with the next request;
// siblings and ancestors stay.
func TestRevocationIncludesDescendants(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.NewToken(w, "admin", "unrelated", api.TokenCreate{})
		parent := servertest.NewToken(w, "admin", "parent", api.TokenCreate{})
		servertest.NewToken(w, "parent", "child", api.TokenCreate{})
		servertest.NewToken(w, "parent", "sibling", api.TokenCreate{Scopes: []api.Scope{api.ScopeRead}})
		servertest.NewToken(w, "child", "grandchild", api.TokenCreate{})
		before := servertest.Do(w, "admin", api.ListTokens, api.ListTokensInput{}).Count
		w.WantUntouched(func() api.Error {
			w.Call("admin", http.MethodDelete, "/v1/user/tokens/"+parent.ID+"?dryRun=true", nil, http.StatusOK)
			return api.Error{}
		})
		servertest.Do(w, "grandchild", api.DeleteToken, api.TokenRef{Token: parent.ID}) // revokes itself
		for _, gone := range []string{"parent", "child", "sibling", "grandchild"} {
			servertest.Equal(t, "the "+gone+" works", false, servertest.TokenWorks(w, gone))
		}
		servertest.Equal(t, "the unrelated token works", true, servertest.TokenWorks(w, "unrelated"))
		servertest.Equal(t, "tokens that are gone", 4, before-servertest.Do(w, "admin", api.ListTokens, api.ListTokensInput{}).Count)
	})
}

// TestConcurrentRevocationLeavesNoChild checks that a token that is revoked while it creates another leaves no token:
// one of the two transactions comes first.
func TestConcurrentRevocationLeavesNoChild(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		for round := range 8 {
			name := fmt.Sprintf("parent %d", round)
			parent := servertest.NewToken(w, "admin", name, api.TokenCreate{})
			children := make([]servertest.Response, 3)
			servertest.Concurrently(len(children)+1, func(i int) {
				if i == len(children) {
					servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
					return
				}
				children[i] = servertest.Try(w, name, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "child"}})
			})
			for _, a := range children {
				if a.Status == http.StatusUnauthorized {
					continue
				}
				var made api.Token
				servertest.Decode(w, a, &made)
				w.Tokens["child"] = made.Token
				servertest.Equal(t, "a child works after its parent was revoked", false, servertest.TokenWorks(w, "child"))
			}
		}
	})
}

// TestBoundTokenCreatesBoundTokens checks that a token bound to an organization creates tokens bound to it. They end
// with the membership under which the first was created; a later membership does not revive them.
func TestBoundTokenCreatesBoundTokens(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		servertest.NewToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
		child := servertest.NewToken(w, "bound", "child", api.TokenCreate{})
		servertest.Equal(t, "organization of the child", w.Org, child.Organization)
		servertest.Do(w, "child", api.GetSpace, api.GetSpaceInput{Space: space})
		w.Clock.Advance(time.Minute)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID})
		w.Clock.Advance(time.Minute)
		w.SetMember("editor", api.RoleEdit)
		w.Clock.Advance(time.Minute)
		servertest.NewToken(w, "child", "made later", api.TokenCreate{})
		for _, as := range []string{"bound", "child", "made later"} {
			servertest.Refused(w, as, api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
		}
		servertest.NewToken(w, "editor", "new", api.TokenCreate{Organization: api.Some(w.Org)})
		servertest.Do(w, "new", api.GetSpace, api.GetSpaceInput{Space: space})
	})
}

// TestBoundTokenSeesOnlyBoundTokens checks that a token bound to an organization can neither see nor change the
// user's other tokens.
func TestBoundTokenSeesOnlyBoundTokens(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		free := servertest.NewToken(w, "admin", "free", api.TokenCreate{})
		other := servertest.NewToken(w, "admin", "other", api.TokenCreate{Organization: api.Some(w.OtherOrg)})
		bound := servertest.NewToken(w, "admin", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
		child := servertest.NewToken(w, "bound", "child", api.TokenCreate{})
		var seen []string
		for _, size := range []int{1, 50} {
			seen = nil
			for in := (api.ListTokensInput{ListOptions: api.ListOptions{Limit: api.Some(size)}}); ; {
				page := servertest.Do(w, "bound", api.ListTokens, in)
				servertest.Equal(t, "count", 2, page.Count)
				for _, token := range page.Items {
					seen = append(seen, token.Name)
				}
				if page.Next == nil {
					break
				}
				in.Page = page.Next.Page
			}
			servertest.Equal(t, "tokens", []string{"bound", "child"}, seen)
		}
		for _, hidden := range []api.Token{free, other} {
			w.WantUntouched(func() api.Error {
				servertest.Refused(w, "bound", api.RotateToken, servertest.RotateInput(hidden.ID, 0), http.StatusNotFound,
					api.ReasonNotFound)
				return servertest.Refused(w, "bound", api.DeleteToken, api.TokenRef{Token: hidden.ID}, http.StatusNotFound,
					api.ReasonNotFound)
			})
		}
		servertest.Do(w, "bound", api.DeleteToken, api.TokenRef{Token: child.ID})
		servertest.Do(w, "bound", api.DeleteToken, api.TokenRef{Token: bound.ID})
	})
}

// TestRotationReplacesSecret checks that rotation gives a token a new secret: the old one ends immediately, and
// descendants stay valid.
func TestRotationReplacesSecret(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		own := servertest.NewToken(w, "admin", "own", api.TokenCreate{
			Scopes: []api.Scope{api.ScopeRead}, ExpiresAt: servertest.TimeAfter(w, time.Hour),
		})
		parent := servertest.NewToken(w, "admin", "parent", api.TokenCreate{})
		servertest.NewToken(w, "parent", "child", api.TokenCreate{})
		renewed := servertest.Do(w, "own", api.RotateToken, servertest.RotateInput(own.ID, 0)) // a token in use, with the scope read
		servertest.Equal(t, "the old secret works", false, servertest.TokenWorks(w, "own"))
		w.Tokens["own"] = renewed.Token
		servertest.Equal(t, "the new secret works", true, servertest.TokenWorks(w, "own"))
		if renewed.ID != own.ID || renewed.ExpiresAt != own.ExpiresAt || !slices.Equal(renewed.Scopes, own.Scopes) {
			t.Errorf("rotated %+v to %+v", own, renewed)
		}
		w.Tokens["parent"] = servertest.Do(w, "admin", api.RotateToken, servertest.RotateInput(parent.ID, 0)).Token
		servertest.Equal(t, "the child works", true, servertest.TokenWorks(w, "child"))
		servertest.Do(w, "parent", api.DeleteToken, api.TokenRef{Token: parent.ID})
		servertest.Equal(t, "the child works when the rotated parent is revoked", false, servertest.TokenWorks(w, "child"))
		w.Clock.Advance(time.Hour)
		servertest.Equal(t, "the new secret works beyond the end of the token", false, servertest.TokenWorks(w, "own"))
	})
}

// TestRotationOverlapKeepsOldSecret checks that with an overlap the old secret stays valid for that time. It cannot
// be rotated again, and tokens created with it expire at the same time.
func TestRotationOverlapKeepsOldSecret(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		token := servertest.NewToken(w, "admin", "old", api.TokenCreate{})
		made := servertest.Do(w, "old", api.RotateToken, servertest.RotateInput(token.ID, time.Hour))
		w.Tokens["new"] = made.Token
		servertest.Equal(t, "end of the old secret", api.At(w.Clock.Now().Add(time.Hour)), made.OldValidTo)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "old", api.RotateToken, servertest.RotateInput(token.ID, 0), http.StatusForbidden,
				api.ReasonForbidden)
		})
		child := servertest.NewToken(w, "old", "child of the old", api.TokenCreate{})
		servertest.Equal(t, "end of the child", made.OldValidTo, child.ExpiresAt)
		servertest.Equal(t, "end of a child of the new", api.Time{}, servertest.NewToken(w, "new", "child of the new",
			api.TokenCreate{}).ExpiresAt)
		w.Clock.Advance(time.Hour - time.Millisecond)
		servertest.Equal(t, "the old secret works within the hour", true, servertest.TokenWorks(w, "old"))
		w.Clock.Advance(time.Millisecond)
		for name, want := range map[string]bool{"old": false, "child of the old": false, "new": true, "child of the new": true} {
			servertest.Equal(t, "the "+name+" works after the hour", want, servertest.TokenWorks(w, name))
		}
		w.Tokens["newer"] = servertest.Do(w, "new", api.RotateToken, servertest.RotateInput(token.ID, 24*time.Hour)).Token
		w.Tokens["newest"] = servertest.Do(w, "newer", api.RotateToken, servertest.RotateInput(token.ID, time.Minute)).Token
		for name, want := range map[string]bool{"old": false, "new": false, "newer": true, "newest": true} {
			servertest.Equal(t, "the "+name+" works after two more rotations", want, servertest.TokenWorks(w, name))
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "newest", api.RotateToken, servertest.RotateInput(token.ID, 24*time.Hour+time.Second),
				http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
	})
}

// TestRepeatedRotationRunsOnce checks that a repeated rotation runs once; its response, which contains the secret, is
// not stored.
func TestRepeatedRotationRunsOnce(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		token := servertest.NewToken(w, "admin", "mine", api.TokenCreate{})
		w.Tokens["new"] = servertest.Do(w, "mine", api.RotateToken, servertest.RotateInput(token.ID, time.Hour), "Idempotency-Key",
			"once").Token
		for _, as := range []string{"mine", "new", "admin"} {
			w.WantUntouched(func() api.Error {
				response := servertest.Try(w, as, api.RotateToken, servertest.RotateInput(token.ID, time.Hour), "Idempotency-Key", "once")
				return servertest.Refusal(w, response, http.StatusConflict, api.ReasonAnswerSecret)
			})
		}
		servertest.Equal(t, "the new secret works", true, servertest.TokenWorks(w, "new"))
	})
}

// TestRotationIsLimitedToDescendants checks that a token cannot rotate its parent, its siblings or tokens of other
// users.
func TestRotationIsLimitedToDescendants(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		parent := servertest.NewToken(w, "admin", "parent", api.TokenCreate{})
		unrelated := servertest.NewToken(w, "admin", "unrelated", api.TokenCreate{})
		foreign := servertest.NewToken(w, "reader", "foreign", api.TokenCreate{})
		child := servertest.NewToken(w, "parent", "child", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Hour)})
		servertest.NewToken(w, "parent", "writing", api.TokenCreate{Scopes: []api.Scope{api.ScopeWrite}})
		for id, status := range map[string]int{
			parent.ID: http.StatusForbidden, unrelated.ID: http.StatusForbidden, foreign.ID: http.StatusNotFound,
		} {
			w.WantUntouched(func() api.Error {
				a := servertest.Try(w, "child", api.RotateToken, servertest.RotateInput(id, 0))
				servertest.Equal(t, "status", status, a.Status)
				return a.Error()
			})
		}
		servertest.Refused(w, "writing", api.RotateToken, servertest.RotateInput(child.ID, 0), http.StatusForbidden, api.ReasonForbidden)
		servertest.Do(w, "admin", api.RotateToken, servertest.RotateInput(child.ID, 0)) // called with the grandparent of the token
	})
}

// TestTokenFamilyIsLimited checks that the number of tokens of a family is limited; expired ones are revoked when it
// is full.
func TestTokenFamilyIsLimited(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		const full = 400
		w.Serve(func(o *server.Options) { // raise the default token quota of a user, which is lower than full
			o.Budgets = budgets.Defaults()
			o.Budgets.UserTokens = 2 * full
		})
		servertest.NewToken(w, "admin", "keeper", api.TokenCreate{})
		for i := range full - 2 {
			servertest.NewToken(w, "admin", fmt.Sprint(i), api.TokenCreate{})
		}
		servertest.NewToken(w, "keeper", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
		more := api.CreateTokenInput{Body: api.TokenCreate{Name: "more"}}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
		})
		w.Clock.Advance(time.Minute)
		servertest.Do(w, "keeper", api.CreateToken, more)
		servertest.Refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
		var root string
		for _, token := range servertest.Do(w, "admin", api.ListTokens, api.ListTokensInput{
			ListOptions: api.ListOptions{Limit: api.Some(1000)},
		}).Items {
			if token.Parent == "" && w.Tokens["admin"] != "" && root == "" {
				root = token.ID
			}
		}
		w.Call("admin", http.MethodDelete, "/v1/user/tokens/"+root, nil, http.StatusResetContent)
		servertest.Equal(t, "a child of the revoked root works", false, servertest.TokenWorks(w, "keeper"))
		// root tokens
		servertest.Equal(t, "tokens that are left", 2, servertest.Do(w, servertest.AdminReading, api.ListTokens,
			api.ListTokensInput{}).Count)
	})
}

// TestTokensWithoutParentAreRoots checks that a token stored before parents were recorded is a root: it is valid, and
// tokens it creates are its children.
func TestTokensWithoutParentAreRoots(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		old := servertest.NewToken(w, "reader", "old", api.TokenCreate{})
		w.Must(w.Store.Update(t.Context(), store.User(w.Users["reader"].ID), txn.UpdateOptions{}, func(tx *store.Tx) error {
			d, err := tx.Token(w.Users["reader"].ID, old.ID)
			if err != nil {
				return err
			}
			tx.DeleteToken(w.Users["reader"].ID, d)
			d.Private.Parent, d.Private.Root, d.Fields.Parent, d.Version = "", "", "", 0
			_, err = tx.PutToken(w.Users["reader"].ID, d)
			return err
		}))
		child := servertest.NewToken(w, "old", "child", api.TokenCreate{})
		servertest.Equal(t, "parent", old.ID, child.Parent)
		servertest.Do(w, "reader", api.DeleteToken, api.TokenRef{Token: old.ID})
		servertest.Equal(t, "the child works", false, servertest.TokenWorks(w, "child"))
	})
}
