package operator_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// endUser ends the account of a person of the world.
func endUser(w *servertest.World, name string, o operator.EndOptions) operator.EndPlan {
	w.T.Helper()
	service := operator.Service{Store: w.Store}
	plan, err := service.PlanEnd(w.T.Context(), w.Users[name].ID, o)
	w.Must(err)
	w.Must(service.End(w.T.Context(), plan))
	return plan
}

// TestEndRemovesAccessAndKeepsTexts checks that the end of an account removes memberships, tokens, invites, read marks and saved
// queries, and that texts stay under the name. It can be repeated, and the account is not enabled again.
func TestEndRemovesAccessAndKeepsTexts(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		space, user := w.NewSpace().ID, w.Users["creator"]
		comment := servertest.Do(w, "creator", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("Kept.")}},
		})
		link := w.CreateLinkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		invite := servertest.InviteAs(w, "creator", "a@elsewhere.example", api.RoleRead)
		plan := endUser(w, "creator", operator.EndOptions{})
		servertest.Equal(t, "invites", 2, plan.Invites)
		servertest.Equal(t, "tokens", int64(1), plan.Tokens)
		servertest.Equal(t, "status", http.StatusUnauthorized, w.Send("creator", http.MethodGet, "/v1/user", nil).Status)
		servertest.Refused(w, "admin", api.GetMember, api.MemberRef{Organization: w.Org, User: user.ID}, http.StatusNotFound,
			api.ReasonNotFound)
		servertest.Equal(t, "links", 0, servertest.Do(w, "admin", api.ListLinkInvites, api.ListLinkInvitesInput{Organization: w.Org}).Count)
		servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptInput(invite), http.StatusUnprocessableEntity, api.ReasonInvalid)
		servertest.Refused(w, "", api.AcceptInvite, servertest.AcceptLinkInput(link), http.StatusUnprocessableEntity, api.ReasonInvalid)
		wantEvent(w, w.Org, "users.end", user.ID)
		servertest.RunJobs(w)
		kept := servertest.Do(w, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}})
		servertest.Equal(t, "author", user.DisplayName, kept.PostedBy.DisplayName)

		endUser(w, "creator", operator.EndOptions{})
		wantEvent(w, w.Org, "users.end", user.ID)
		service := operator.Service{Store: w.Store}
		shown, err := service.ShowUser(t.Context(), user.Email)
		w.Must(err)
		if shown.State != operator.AccountEnded || len(shown.Organizations) != 0 || len(shown.TokenList) != 0 {
			t.Errorf("ended: %+v", shown)
		}
		_, err = service.SetDisabled(t.Context(), user.ID, false)
		if e, ok := api.AsError(err); !ok || e.Reason != api.ReasonState {
			t.Errorf("enabled: %v", err)
		}
	})
}

// TestEndListsWhatStays checks that the plan of the end of an account and the account, before and after, list what the user made
// that works without the account.
func TestEndListsWhatStays(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		sample := w.Populate()
		w.SetMember("creator", api.RoleAdmin)
		link := servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: api.SiteRef{Organization: w.Org, Site: sample.Site}, Body: api.ShareLinkCreate{Name: "For the board"},
		})
		want := []operator.MadeThings{{Organization: w.Org, Title: "Acme", Things: []api.Taken{
			api.NewTaken("share-links", 1, api.TakenThing{ID: link.ID, Title: "For the board"}),
		}}}
		service, user := operator.Service{Store: w.Store}, w.Users["creator"].ID
		before, err := service.ShowUser(t.Context(), user)
		w.Must(err)
		servertest.Equal(t, "made, before", want, before.Made)
		servertest.Equal(t, "stays", want, endUser(w, "creator", operator.EndOptions{}).Stays)
		after, err := service.ShowUser(t.Context(), user)
		w.Must(err)
		servertest.Equal(t, "made, after", want, after.Made)
		reader, err := service.ShowUser(t.Context(), w.Users["reader"].ID)
		w.Must(err)
		servertest.Equal(t, "made by another", []operator.MadeThings{}, reader.Made)
	})
}

// TestEndWithAnonymizeHidesName checks that an anonymized account is a "Former member" in all organizations, also those that
// the user had left, and that nothing else of the person is left in them.
func TestEndWithAnonymizeHidesName(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, user := w.NewSpace().ID, w.Users["creator"]
		comment := servertest.Do(w, "creator", api.CreateComment, api.CreateCommentInput{
			Space: space, Body: api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("Kept.")}},
		})
		w.Must(orgs.Accounts{Store: w.Store}.SetMember(t.Context(), w.OtherOrg, user, api.RoleRead))
		endUser(w, "creator", operator.EndOptions{})
		endUser(w, "creator", operator.EndOptions{Anonymize: true, FreeAddress: true})
		kept := servertest.Do(w, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}})
		servertest.Equal(t, "author", "Former member", kept.PostedBy.DisplayName)
		for name, value := range w.Dump() {
			if strings.Contains(value, user.DisplayName) && !strings.Contains(name, ":shape") || strings.Contains(value, user.Email) &&
				!strings.Contains(name, ":shape") {
				t.Errorf("%s contains the person", name)
			}
		}
	})
}

// TestAddressOfEndedAccountStaysTaken checks that the address of an ended account is not given to another account until it is freed.
func TestAddressOfEndedAccountStaysTaken(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		user, accounts := w.Users["editor"], orgs.Accounts{Store: w.Store}
		endUser(w, "editor", operator.EndOptions{})
		options := orgs.AccountOptions{Email: user.Email, Token: orgs.TokenOptions{Name: "new"}}
		_, err := accounts.Create(t.Context(), options)
		if e, ok := api.AsError(err); !ok || !strings.Contains(e.Hint, "--free-address") {
			t.Errorf("%v", err)
		}
		endUser(w, "editor", operator.EndOptions{FreeAddress: true})
		created, err := accounts.Create(t.Context(), options)
		w.Must(err)
		if created.ID == user.ID || !created.Created {
			t.Errorf("created %+v", created)
		}
		claim, err := orgs.ReadAddressClaim(t.Context(), w.Store, user.Email)
		w.Must(err)
		servertest.Equal(t, "owner", created.ID, claim.Owner)
	})
}

// TestEndOfOnlyAdminNeedsSuccessor checks that the end of the only admin of an organization is refused and names it, that a successor
// becomes admin, and that nobody ends or disabled can be one.
func TestEndOfOnlyAdminNeedsSuccessor(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		service, before := operator.Service{Store: w.Store}, w.Dump()
		_, err := service.PlanEnd(t.Context(), w.Users["admin"].ID, operator.EndOptions{})
		if e, ok := api.AsError(err); !ok || e.Reason != api.ReasonState || !strings.Contains(e.Message, w.Org) ||
			!strings.Contains(e.Message, "Acme") || !strings.Contains(e.Hint, "--hand-over") {
			t.Errorf("%v", err)
		}
		for _, wrong := range []string{"nobody@example.com", w.Users["admin"].ID} {
			if _, err := service.PlanEnd(t.Context(), w.Users["admin"].ID, operator.EndOptions{HandOver: wrong}); err == nil {
				t.Errorf("handed over to %s", wrong)
			}
		}
		servertest.WantUnchanged(w, before, "a refused end")
		setDisabled(w, "editor", true)
		if _, err := service.PlanEnd(t.Context(), w.Users["admin"].ID, operator.EndOptions{HandOver: w.Users["editor"].ID}); err == nil {
			t.Error("handed over to a disabled account")
		}
		endUser(w, "admin", operator.EndOptions{HandOver: w.Users["reader"].Email})
		member := servertest.Do(w, "reader", api.GetMember, api.MemberRef{Organization: w.Org, User: w.Users["reader"].ID})
		servertest.Equal(t, "role", new(api.RoleAdmin), member.Role)
	})
}

// TestEndStopsWhereTheOtherAdminLeft checks that a membership is not ended if the other admin left after the plan was made, and that
// the command can be repeated with a successor.
func TestEndStopsWhereTheOtherAdminLeft(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		w.SetMember("creator", api.RoleAdmin)
		service := operator.Service{Store: w.Store}
		plan, err := service.PlanEnd(t.Context(), w.Users["creator"].ID, operator.EndOptions{})
		w.Must(err)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(w.Org, w.Users["admin"].ID)
			if err == nil {
				m.Private.Role = api.RoleRead
				_, err = tx.PutMember(w.Org, m)
			}
			return err
		}))
		if err := service.End(t.Context(), plan); err == nil {
			t.Fatal("the organization has no admin")
		}
		servertest.Equal(t, "status", http.StatusUnauthorized, w.Send("creator", http.MethodGet, "/v1/user", nil).Status)
		endUser(w, "creator", operator.EndOptions{HandOver: w.Users["admin"].ID})
		member := servertest.Do(w, "admin", api.GetMember, api.MemberRef{Organization: w.Org, User: w.Users["admin"].ID})
		servertest.Equal(t, "role", new(api.RoleAdmin), member.Role)
	})
}
