package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// works reports whether a token opens anything.
func works(w *world, name string) bool {
	w.t.Helper()
	return w.raw(name, http.MethodGet, "/v1/user", nil).Status == http.StatusOK
}

// A token that expires makes none that does not: what it makes ends with it, and so does what that makes.
func TestTokensEndWithTheirParent(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		short := newToken(w, "admin", "short", api.TokenCreate{ExpiresAt: in(w, time.Hour)})
		child := newToken(w, "short", "child", api.TokenCreate{})
		newToken(w, "child", "grandchild", api.TokenCreate{ExpiresAt: in(w, time.Minute)})
		equal(t, "end of the child", short.ExpiresAt, child.ExpiresAt)
		equal(t, "parent of the child", short.ID, child.Parent)
		for _, as := range []string{"short", "child"} {
			w.untouched(func() api.Error {
				return refused(w, as, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "forever", ExpiresAt: in(w, 2*time.Hour)}},
					http.StatusUnprocessableEntity, api.ReasonInvalid)
			})
		}
		w.clock.Advance(time.Minute)
		equal(t, "the grandchild works after its minute", false, works(w, "grandchild"))
		equal(t, "the child works within the hour", true, works(w, "child"))
		w.clock.Advance(time.Hour)
		equal(t, "the child works after the hour", false, works(w, "child"))
		equal(t, "the root works", true, works(w, "admin"))
	})
}

// Who revokes a token revokes all that come of it, with the next request; those beside it and above it stay.
func TestRevocationGoesDown(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		newToken(w, "admin", "beside", api.TokenCreate{})
		parent := newToken(w, "admin", "parent", api.TokenCreate{})
		newToken(w, "parent", "child", api.TokenCreate{})
		newToken(w, "parent", "sibling", api.TokenCreate{Scopes: []api.Scope{api.ScopeRead}})
		newToken(w, "child", "grandchild", api.TokenCreate{})
		before := do(w, "admin", api.ListTokens, api.ListTokensInput{}).Count
		w.untouched(func() api.Error {
			w.call("admin", http.MethodDelete, "/v1/user/tokens/"+parent.ID+"?dryRun=true", nil, http.StatusResetContent)
			return api.Error{}
		})
		do(w, "grandchild", api.DeleteToken, api.TokenRef{Token: parent.ID}) // its own end
		for _, gone := range []string{"parent", "child", "sibling", "grandchild"} {
			equal(t, "the "+gone+" works", false, works(w, gone))
		}
		equal(t, "the one beside works", true, works(w, "beside"))
		equal(t, "tokens that are gone", 4, before-do(w, "admin", api.ListTokens, api.ListTokensInput{}).Count)
	})
}

// A token that is revoked while it makes another leaves none behind: one of the two comes first.
func TestNoTokenSurvivesItsParent(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		for round := range 8 {
			name := fmt.Sprintf("parent %d", round)
			parent := newToken(w, "admin", name, api.TokenCreate{})
			children := make([]answer, 3)
			together(len(children)+1, func(i int) {
				if i == len(children) {
					do(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
					return
				}
				children[i] = try(w, name, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "child"}})
			})
			for _, a := range children {
				if a.Status == http.StatusUnauthorized {
					continue
				}
				var made api.Token
				decode(w, a, &made)
				w.tokens["child"] = made.Token
				equal(t, "a child works after its parent was revoked", false, works(w, "child"))
			}
		}
	})
}

// A token for one organization makes tokens for that organization, and they end with the membership that the first of
// them was made under: a later membership does not bring them back.
func TestBoundTokensStayBound(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		newToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.org)})
		child := newToken(w, "bound", "child", api.TokenCreate{})
		equal(t, "organization of the child", w.org, child.Organization)
		do(w, "child", api.GetSpace, api.GetSpaceInput{Space: space})
		w.clock.Advance(time.Minute)
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["editor"].ID})
		w.clock.Advance(time.Minute)
		w.member("editor", api.RoleEdit)
		w.clock.Advance(time.Minute)
		newToken(w, "child", "made later", api.TokenCreate{})
		for _, as := range []string{"bound", "child", "made later"} {
			refused(w, as, api.GetSpace, api.GetSpaceInput{Space: space}, http.StatusNotFound, api.ReasonNotFound)
		}
		newToken(w, "editor", "new", api.TokenCreate{Organization: api.Some(w.org)})
		do(w, "new", api.GetSpace, api.GetSpaceInput{Space: space})
	})
}

// A token for one organization knows nothing of its user's other tokens, nor touches them.
func TestBoundTokensSeeTheirOwn(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		free := newToken(w, "admin", "free", api.TokenCreate{})
		other := newToken(w, "admin", "other", api.TokenCreate{Organization: api.Some(w.otherOrg)})
		bound := newToken(w, "admin", "bound", api.TokenCreate{Organization: api.Some(w.org)})
		child := newToken(w, "bound", "child", api.TokenCreate{})
		var seen []string
		for _, size := range []int{1, 50} {
			seen = nil
			for in := (api.ListTokensInput{ListOptions: api.ListOptions{Limit: api.Some(size)}}); ; {
				page := do(w, "bound", api.ListTokens, in)
				equal(t, "count", 2, page.Count)
				for _, token := range page.Items {
					seen = append(seen, token.Name)
				}
				if page.Next == nil {
					break
				}
				in.Page = page.Next.Page
			}
			equal(t, "tokens", []string{"bound", "child"}, seen)
		}
		for _, hidden := range []api.Token{free, other} {
			w.untouched(func() api.Error {
				refused(w, "bound", api.RotateToken, rotating(hidden.ID, 0), http.StatusNotFound, api.ReasonNotFound)
				return refused(w, "bound", api.DeleteToken, api.TokenRef{Token: hidden.ID}, http.StatusNotFound, api.ReasonNotFound)
			})
		}
		do(w, "bound", api.DeleteToken, api.TokenRef{Token: child.ID})
		do(w, "bound", api.DeleteToken, api.TokenRef{Token: bound.ID})
	})
}

// A rotated token is the same token with a new secret: the old one ends at once, and what the token made goes on.
func TestRotation(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		own := newToken(w, "admin", "own", api.TokenCreate{Scopes: []api.Scope{api.ScopeRead}, ExpiresAt: in(w, time.Hour)})
		parent := newToken(w, "admin", "parent", api.TokenCreate{})
		newToken(w, "parent", "child", api.TokenCreate{})
		renewed := do(w, "own", api.RotateToken, rotating(own.ID, 0)) // a token in use, with the scope read
		equal(t, "the old secret works", false, works(w, "own"))
		w.tokens["own"] = renewed.Token
		equal(t, "the new secret works", true, works(w, "own"))
		if renewed.ID != own.ID || renewed.ExpiresAt != own.ExpiresAt || !slices.Equal(renewed.Scopes, own.Scopes) {
			t.Errorf("rotated %+v to %+v", own, renewed)
		}
		w.tokens["parent"] = do(w, "admin", api.RotateToken, rotating(parent.ID, 0)).Token
		equal(t, "the child works", true, works(w, "child"))
		do(w, "parent", api.DeleteToken, api.TokenRef{Token: parent.ID})
		equal(t, "the child works when the rotated parent is revoked", false, works(w, "child"))
		w.clock.Advance(time.Hour)
		equal(t, "the new secret works beyond the end of the token", false, works(w, "own"))
	})
}

// For a time that is given the old secret works beside the new one. It opens what the token opens until then, and
// nothing that lasts longer: it is not rotated again, and what it makes ends with it.
func TestRotationWithOverlap(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		token := newToken(w, "admin", "old", api.TokenCreate{})
		made := do(w, "old", api.RotateToken, rotating(token.ID, time.Hour))
		w.tokens["new"] = made.Token
		equal(t, "end of the old secret", api.At(w.clock.Now().Add(time.Hour)), made.OldValidTo)
		w.untouched(func() api.Error {
			return refused(w, "old", api.RotateToken, rotating(token.ID, 0), http.StatusForbidden, api.ReasonForbidden)
		})
		child := newToken(w, "old", "child of the old", api.TokenCreate{})
		equal(t, "end of the child", made.OldValidTo, child.ExpiresAt)
		equal(t, "end of a child of the new", api.Time{}, newToken(w, "new", "child of the new", api.TokenCreate{}).ExpiresAt)
		w.clock.Advance(time.Hour - time.Millisecond)
		equal(t, "the old secret works within the hour", true, works(w, "old"))
		w.clock.Advance(time.Millisecond)
		for name, want := range map[string]bool{"old": false, "child of the old": false, "new": true, "child of the new": true} {
			equal(t, "the "+name+" works after the hour", want, works(w, name))
		}
		w.tokens["newer"] = do(w, "new", api.RotateToken, rotating(token.ID, 24*time.Hour)).Token
		w.tokens["newest"] = do(w, "newer", api.RotateToken, rotating(token.ID, time.Minute)).Token
		for name, want := range map[string]bool{"old": false, "new": false, "newer": true, "newest": true} {
			equal(t, "the "+name+" works after two more rotations", want, works(w, name))
		}
		w.untouched(func() api.Error {
			return refused(w, "newest", api.RotateToken, rotating(token.ID, 24*time.Hour+time.Second), http.StatusUnprocessableEntity, api.ReasonInvalid)
		})
	})
}

// A rotation that is repeated is carried out once; its answer was not kept.
func TestRotationIsRepeated(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		token := newToken(w, "admin", "mine", api.TokenCreate{})
		w.tokens["new"] = do(w, "mine", api.RotateToken, rotating(token.ID, time.Hour), "Idempotency-Key", "once").Token
		for _, as := range []string{"mine", "new", "admin"} {
			w.untouched(func() api.Error {
				return refused(w, as, api.RotateToken, rotating(token.ID, time.Hour), http.StatusConflict, api.ReasonAnswerSecret, "Idempotency-Key", "once")
			})
		}
		equal(t, "the new secret works", true, works(w, "new"))
	})
}

// Nobody rotates their way up: neither a parent, nor a token beside, nor one that is not theirs.
func TestRotationGivesNoMore(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		parent := newToken(w, "admin", "parent", api.TokenCreate{})
		beside := newToken(w, "admin", "beside", api.TokenCreate{})
		foreign := newToken(w, "reader", "foreign", api.TokenCreate{})
		child := newToken(w, "parent", "child", api.TokenCreate{ExpiresAt: in(w, time.Hour)})
		newToken(w, "parent", "writing", api.TokenCreate{Scopes: []api.Scope{api.ScopeWrite}})
		for id, status := range map[string]int{parent.ID: http.StatusForbidden, beside.ID: http.StatusForbidden, foreign.ID: http.StatusNotFound} {
			w.untouched(func() api.Error {
				a := try(w, "child", api.RotateToken, rotating(id, 0))
				equal(t, "status", status, a.Status)
				return a.Error()
			})
		}
		refused(w, "writing", api.RotateToken, rotating(child.ID, 0), http.StatusForbidden, api.ReasonForbidden)
		do(w, "admin", api.RotateToken, rotating(child.ID, 0)) // two above it
	})
}

// A family of tokens is bounded; when it is full, what has expired makes room.
func TestFamiliesOfTokens(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		const full = 400
		w.serve(func(o *server.Options) { // the quota of a user is less
			o.Budgets = budgets.Defaults()
			o.Budgets.UserTokens = 2 * full
		})
		newToken(w, "admin", "keeper", api.TokenCreate{})
		for i := range full - 2 {
			newToken(w, "admin", fmt.Sprint(i), api.TokenCreate{})
		}
		newToken(w, "keeper", "short", api.TokenCreate{ExpiresAt: in(w, time.Minute)})
		more := api.CreateTokenInput{Body: api.TokenCreate{Name: "more"}}
		w.untouched(func() api.Error {
			return refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
		})
		w.clock.Advance(time.Minute)
		do(w, "keeper", api.CreateToken, more)
		refused(w, "keeper", api.CreateToken, more, http.StatusConflict, api.ReasonState)
		var root string
		for _, token := range do(w, "admin", api.ListTokens, api.ListTokensInput{ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items {
			if token.Parent == "" && w.tokens["admin"] != "" && root == "" {
				root = token.ID
			}
		}
		w.call("admin", http.MethodDelete, "/v1/user/tokens/"+root, nil, http.StatusResetContent)
		equal(t, "a child of the revoked root works", false, works(w, "keeper"))
		equal(t, "tokens that are left", 2, do(w, adminReading, api.ListTokens, api.ListTokensInput{}).Count) // roots of their own
	})
}

// A token that was stored before parents were recorded is a root: it works, and what it makes is its own.
func TestTokensOfBeforeAreRoots(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		old := newToken(w, "reader", "old", api.TokenCreate{})
		w.must(w.store.Update(t.Context(), store.User(w.users["reader"].ID), txn.UpdateOptions{}, func(tx *store.Tx) error {
			d, err := tx.Token(w.users["reader"].ID, old.ID)
			if err != nil {
				return err
			}
			tx.DeleteToken(w.users["reader"].ID, d)
			d.Private.Parent, d.Private.Root, d.Fields.Parent, d.Version = "", "", "", 0
			_, err = tx.PutToken(w.users["reader"].ID, d)
			return err
		}))
		child := newToken(w, "old", "child", api.TokenCreate{})
		equal(t, "parent", old.ID, child.Parent)
		do(w, "reader", api.DeleteToken, api.TokenRef{Token: old.ID})
		equal(t, "the child works", false, works(w, "child"))
	})
}
