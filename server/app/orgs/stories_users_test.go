package orgs_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// renameInput returns the request that changes a user's name.
func renameInput(w *servertest.World, user, name string) api.UpdateUserInput {
	return api.UpdateUserInput{UserRef: api.UserRef{User: w.Users[user].ID}, Body: api.UserPatch{DisplayName: api.Some(name)}}
}

// TestUserRenameIsVisibleEverywhere checks that a new name of a user is shown in all organizations of the user, also
// on earlier content.
func TestUserRenameIsVisibleEverywhere(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		other := servertest.NewOrganization(w, "Another", "commenter")
		comment := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Body: servertest.CommentBody("?")},
		})
		in := renameInput(w, "commenter", "Imke Adler")
		in.Body.PhotoURL = api.Some("https://example.com/imke.png")
		changed := servertest.Do(w, "commenter", api.UpdateUser, in)
		servertest.Equal(t, "name", "Imke Adler", changed.DisplayName)
		servertest.Equal(t, "e-mail", "commenter@example.com", changed.Email)
		ref := api.CommentRef{Space: space, Comment: comment.ID}
		by := servertest.Do(w, "reviewer", api.GetComment, api.CommentInput{CommentRef: ref}).PostedBy
		servertest.Equal(t, "author", "Imke Adler https://example.com/imke.png", by.DisplayName+" "+by.PhotoURL)
		for _, org := range []string{w.Org, other} {
			found := servertest.Do(w, "commenter", api.GetMember, api.MemberRef{Organization: org, User: changed.ID})
			servertest.Equal(t, "member", "Imke Adler", found.User.DisplayName)
		}
		list := servertest.Do(w, "reader", api.ListMembers, api.ListMembersInput{Organization: w.Org, Search: "imke"})
		servertest.Equal(t, "members who are found by the new name", 1, list.Count)
		w.Clock.Advance(store.UserJobTime)
		w.Must(w.Server.RunDueJobs(t.Context()))
		in.Body = api.UserPatch{PhotoURL: api.Null[string]()}
		servertest.Equal(t, "photo that was taken away", "", servertest.Do(w, "commenter", api.UpdateUser, in).PhotoURL)
		servertest.Equal(t, "whoami", "Imke Adler", servertest.Do(w, "commenter", api.GetUser, api.NoInput{}).DisplayName)
	})
}

// TestInterruptedRenameIsCompletedByJob checks that a job completes an interrupted change of a name.
func TestInterruptedRenameIsCompletedByJob(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		servertest.Do(w, "reader", api.UpdateUser, renameInput(w, "reader", "Halfway"))
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(w.Org, w.Users["reader"].ID)
			if err != nil {
				return err
			}
			m.Private.User.DisplayName = "The reader"
			_, err = tx.PutMember(w.Org, m)
			return err
		}))
		name := func() string {
			return servertest.Do(w, "admin", api.GetMember, api.MemberRef{Organization: w.Org, User: w.Users["reader"].ID}).User.DisplayName
		}
		servertest.Equal(t, "name where the change was cut off", "The reader", name())
		w.Clock.Advance(store.UserJobTime + time.Second)
		w.Must(w.Server.RunDueJobs(t.Context()))
		servertest.Equal(t, "name after the job", "Halfway", name())
	})
}

// TestUserVisibility checks that users see themselves and fellow members of their organizations; guests see only
// themselves, and nobody can change others.
func TestUserVisibility(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		see := func(user string) api.UserRef { return api.UserRef{User: w.Users[user].ID} }
		servertest.Equal(t, "name", "The editor", servertest.Do(w, "reader", api.ShowUser, see("editor")).DisplayName)
		servertest.Equal(t, "of a guest", "The guest", servertest.Do(w, "reader", api.ShowUser, see("guest")).DisplayName)
		servertest.Do(w, "guest", api.ShowUser, see("guest"))
		for as, who := range map[string]string{"guest": "editor", "stranger": "editor", "editor": "stranger"} {
			servertest.Refused(w, as, api.ShowUser, see(who), http.StatusNotFound, api.ReasonNotFound)
			w.WantUntouched(func() api.Error {
				return servertest.Refused(w, as, api.UpdateUser, renameInput(w, who, "Mallory"), http.StatusNotFound, api.ReasonNotFound)
			})
		}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.UpdateUser, renameInput(w, "editor", "Mallory"), http.StatusForbidden,
				api.ReasonForbidden)
		})
		made := servertest.Do(w, "editor", api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Organization: api.Some(w.Org)},
		})
		w.Tokens["bound"] = made.Token
		servertest.Do(w, "bound", api.ShowUser, see("reader"))
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "bound", api.UpdateUser, renameInput(w, "editor", "Bound"), http.StatusForbidden,
				api.ReasonForbidden)
		})
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID})
		servertest.Refused(w, "reader", api.ShowUser, see("editor"), http.StatusNotFound, api.ReasonNotFound)
		bad := renameInput(w, "reader", "")
		bad.Body.PhotoURL = api.Some("javascript:alert(1)")
		servertest.Refused(w, "reader", api.UpdateUser, bad, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}
