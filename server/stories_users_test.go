package server_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// renaming is the request by which somebody changes their name.
func renaming(w *world, who, name string) api.UpdateUserInput {
	return api.UpdateUserInput{UserRef: api.UserRef{User: w.users[who].ID}, Body: api.UserPatch{DisplayName: api.Some(name)}}
}

// Who changes their name is known by the new one in every organization that they are in, and by what they wrote before.
func TestUserChangesName(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		other := organization(w, "Another", "commenter")
		comment := do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Body: says("?")}})
		in := renaming(w, "commenter", "Imke Adler")
		in.Body.PhotoURL = api.Some("https://example.com/imke.png")
		changed := do(w, "commenter", api.UpdateUser, in)
		equal(t, "name", "Imke Adler", changed.DisplayName)
		equal(t, "e-mail", "commenter@example.com", changed.Email)
		ref := api.CommentRef{Space: space, Comment: comment.ID}
		by := do(w, "reviewer", api.GetComment, api.CommentInput{CommentRef: ref}).PostedBy
		equal(t, "author", "Imke Adler https://example.com/imke.png", by.DisplayName+" "+by.PhotoURL)
		for _, org := range []string{w.org, other} {
			found := do(w, "commenter", api.GetMember, api.MemberRef{Organization: org, User: changed.ID})
			equal(t, "member", "Imke Adler", found.User.DisplayName)
		}
		list := do(w, "reader", api.ListMembers, api.ListMembersInput{Organization: w.org, Search: "imke"})
		equal(t, "members who are found by the new name", 1, list.Count)
		w.clock.Advance(store.UserJobTime)
		w.must(w.server.RunDueJobs(t.Context()))
		in.Body = api.UserPatch{PhotoURL: api.Null[string]()}
		equal(t, "photo that was taken away", "", do(w, "commenter", api.UpdateUser, in).PhotoURL)
		equal(t, "whoami", "Imke Adler", do(w, "commenter", api.GetUser, api.NoInput{}).DisplayName)
	})
}

// What a change that was cut off has not reached yet follows by itself.
func TestNameFollows(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		do(w, "reader", api.UpdateUser, renaming(w, "reader", "Halfway"))
		w.must(w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(w.org, w.users["reader"].ID)
			if err != nil {
				return err
			}
			m.Private.User.DisplayName = "The reader"
			_, err = tx.PutMember(w.org, m)
			return err
		}))
		name := func() string {
			return do(w, "admin", api.GetMember, api.MemberRef{Organization: w.org, User: w.users["reader"].ID}).User.DisplayName
		}
		equal(t, "name where the change was cut off", "The reader", name())
		w.clock.Advance(store.UserJobTime + time.Second)
		w.must(w.server.RunDueJobs(t.Context()))
		equal(t, "name after the job", "Halfway", name())
	})
}

// Everybody sees themselves and who is with them in an organization; guests see nobody, and nobody changes another.
func TestWhoSeesUsers(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		see := func(who string) api.UserRef { return api.UserRef{User: w.users[who].ID} }
		equal(t, "name", "The editor", do(w, "reader", api.ShowUser, see("editor")).DisplayName)
		equal(t, "of a guest", "The guest", do(w, "reader", api.ShowUser, see("guest")).DisplayName)
		do(w, "guest", api.ShowUser, see("guest"))
		for as, who := range map[string]string{"guest": "editor", "stranger": "editor", "editor": "stranger"} {
			refused(w, as, api.ShowUser, see(who), http.StatusNotFound, api.ReasonNotFound)
			w.untouched(func() api.Error {
				return refused(w, as, api.UpdateUser, renaming(w, who, "Mallory"), http.StatusNotFound, api.ReasonNotFound)
			})
		}
		w.untouched(func() api.Error {
			return refused(w, "admin", api.UpdateUser, renaming(w, "editor", "Mallory"), http.StatusForbidden, api.ReasonForbidden)
		})
		made := do(w, "editor", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.org)}})
		w.tokens["bound"] = made.Token
		do(w, "bound", api.ShowUser, see("reader"))
		w.untouched(func() api.Error {
			return refused(w, "bound", api.UpdateUser, renaming(w, "editor", "Bound"), http.StatusForbidden, api.ReasonForbidden)
		})
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["editor"].ID})
		refused(w, "reader", api.ShowUser, see("editor"), http.StatusNotFound, api.ReasonNotFound)
		bad := renaming(w, "reader", "")
		bad.Body.PhotoURL = api.Some("javascript:alert(1)")
		refused(w, "reader", api.UpdateUser, bad, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}
