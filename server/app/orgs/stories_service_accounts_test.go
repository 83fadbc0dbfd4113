package orgs_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// serviceWorld is a world with a service account of a role and its token "bot" with all scopes.
func serviceWorld(t *testing.T, role api.Role) (w *servertest.World, account api.ServiceAccountRef) {
	t.Helper()
	w = servertest.NewWorld(t, storetest.Memory())
	made := servertest.NewServiceAccount(w, "Bot", role)
	account = api.ServiceAccountRef{Organization: w.Org, ServiceAccount: made.ID}
	servertest.NewServiceToken(w, made.ID, api.ServiceAccountTokenCreate{
		Name: "bot", Scopes: []api.Scope{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin},
	})
	return w, account
}

// refused fails the test unless a request is refused with a status and a message that contains all words.
func refused(w *servertest.World, as, method, path string, body any, status int, words ...string) {
	w.T.Helper()
	got := w.Send(as, method, path, body)
	if got.Status != status {
		w.T.Errorf("%s %s as %s: %d, want %d: %s", method, path, as, got.Status, status, got.Body)
	}
	for _, word := range words {
		if !strings.Contains(string(got.Body), word) {
			w.T.Errorf("%s %s as %s: %s, want %q", method, path, as, got.Body, word)
		}
	}
}

// TestServiceAccountIsMemberWithoutAddress checks what a service account is: a user of one organization that admins see with who
// created it, and who is not among the members.
func TestServiceAccountIsMemberWithoutAddress(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleComment)
	before := len(servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org}).Items)
	me := servertest.Do(w, "bot", api.GetUser, api.NoInput{})
	if me.ID != account.ServiceAccount || me.Type != api.UserService || me.Email != "" || me.MayCreateOrganizations {
		t.Errorf("GET /v1/user as the bot: %+v", me)
	}
	servertest.Do(w, "bot", api.ListSpaces, api.ListSpacesInput{Organization: w.Org})
	got := servertest.Do(w, "admin", api.GetServiceAccount, account)
	if got.CreatedBy.ID != w.Users["admin"].ID || got.Role == nil || *got.Role != api.RoleComment || got.LastSeenAt.IsZero() {
		t.Errorf("service account: %+v", got)
	}
	list := servertest.Do(w, "admin", api.ListServiceAccounts, api.ListServiceAccountsInput{Organization: w.Org})
	if list.Count != 1 || list.Items[0].ID != account.ServiceAccount {
		t.Errorf("service accounts: %+v", list)
	}
	servertest.NewServiceAccount(w, "Another", api.RoleAdmin)
	members := servertest.Do(w, "admin", api.ListMembers, api.ListMembersInput{Organization: w.Org})
	if len(members.Items) != before || slices.ContainsFunc(members.Items, func(m api.Member) bool { return m.User.Type != "" }) {
		t.Errorf("members: %d, want %d without service accounts", len(members.Items), before)
	}
	index := w.Store.NewBatch()
	all, admins := index.Cardinality(store.MembersKey(w.Org)), index.Cardinality(store.AdminsKey(w.Org))
	w.Must(index.Do(t.Context()))
	if int(all.Value()) != before || admins.Value() != 1 {
		t.Errorf("the organization counts %d members and %d admins, want %d and 1", all.Value(), admins.Value(), before)
	}
	renamed := servertest.Do(w, "admin", api.UpdateServiceAccount, api.UpdateServiceAccountInput{
		ServiceAccountRef: account, Body: api.ServiceAccountPatch{DisplayName: api.Some("Robot"), Role: api.Null[api.Role]()},
	})
	if me := servertest.Do(w, "bot", api.GetUser, api.NoInput{}); renamed.Role != nil || me.DisplayName != "Robot" {
		t.Errorf("renamed: %+v, %+v", renamed, me)
	}
}

// TestServiceAccountCannotDoWhatPeopleDo checks that a service account makes no tokens, organizations and accounts, and is no last admin.
func TestServiceAccountCannotDoWhatPeopleDo(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleAdmin)
	link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleCreate)})
	orgs, own := "/v1/orgs/"+w.Org, "/v1/orgs/"+w.Org+"/service-accounts"
	for path, body := range map[string]any{
		"/v1/orgs":        api.OrganizationCreate{Title: "Mine"},
		"/v1/user/tokens": api.TokenCreate{Name: "more"},
		own:               api.ServiceAccountCreate{DisplayName: "Child"},
		own + "/" + account.ServiceAccount + "/tokens": api.ServiceAccountTokenCreate{Name: "more"},
		"PATCH " + own + "/" + account.ServiceAccount:  api.ServiceAccountPatch{DisplayName: api.Some("Ann Admin")},
		"PATCH /v1/users/" + account.ServiceAccount:    api.UserPatch{DisplayName: api.Some("Ann Admin")},
		"DELETE " + own + "/" + account.ServiceAccount: nil,
		orgs + "/invites":      api.InviteCreate{Emails: api.Invitees("mallory@example.net")},
		orgs + "/link-invites": api.LinkInviteCreate{Level: api.RoleRead, Space: w.NewSpace().ID},
		"/v1/invites/accept":   api.InviteAccept{Secret: link.Secret},
	} {
		method, target, ok := strings.Cut(path, " ")
		if !ok {
			method, target = http.MethodPost, path
		}
		refused(w, "bot", method, target, body, http.StatusForbidden, "Service accounts cannot do this")
	}
	refused(w, "admin", http.MethodDelete, orgs+"/members/"+account.ServiceAccount, nil, http.StatusConflict,
		"wsctl service-accounts delete")
	refused(w, "admin", http.MethodPatch, orgs+"/members/"+account.ServiceAccount, api.MemberPatch{Role: api.Some(api.RoleRead)},
		http.StatusConflict, "wsctl service-accounts update")
	refused(w, "admin", http.MethodDelete, own+"/"+w.Users["reader"].ID, nil, http.StatusConflict, "not a service account")
	refused(w, "admin", http.MethodPatch, orgs+"/members/"+w.Users["admin"].ID, api.MemberPatch{Role: api.Some(api.RoleRead)},
		http.StatusConflict, "last admin")
	servertest.Do(w, "bot", api.UpdateOrganization, api.UpdateOrganizationInput{
		Organization: w.Org, Body: api.OrganizationPatch{Title: api.Some("By the bot")},
	})
}

// TestServiceAccountOutlivesItsCreator checks that a service account works when the admin who created it has left, and ends with its
// deletion, with its tokens and name.
func TestServiceAccountOutlivesItsCreator(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleComment)
	space := w.NewSpace()
	r := w.CreateRequest("admin", space.ID, "Change")
	servertest.Do(w, "bot", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: servertest.Ref(r), Body: api.CommentCreate{Body: servertest.CommentBody("Checked.")},
	})
	member := func(name string) api.MemberRef { return api.MemberRef{Organization: w.Org, User: w.Users[name].ID} }
	servertest.Do(w, "admin", api.UpdateMember, api.UpdateMemberInput{
		MemberRef: member("creator"), Body: api.MemberPatch{Role: api.Some(api.RoleAdmin)},
	})
	servertest.Do(w, "creator", api.DeleteMember, member("admin"))
	if !servertest.TokenWorks(w, "bot") {
		t.Fatal("the token of the service account ended with the membership of its creator")
	}
	got := servertest.Do(w, "creator", api.GetServiceAccount, account)
	if got.CreatedBy.ID != w.Users["admin"].ID {
		t.Errorf("created by: %+v", got.CreatedBy)
	}
	servertest.Do(w, "creator", api.DeleteServiceAccount, account)
	if servertest.TokenWorks(w, "bot") {
		t.Error("the token works after the end of the account")
	}
	in := api.ListChangeRequestCommentsInput{ChangeRequestRef: servertest.Ref(r)}
	comments := servertest.Do(w, "creator", api.ListChangeRequestComments, in)
	if by := comments.Items[0].PostedBy; by.DisplayName != "Bot" || by.Type != api.UserService {
		t.Errorf("author of the comment: %+v", by)
	}
	b := w.Store.NewBatch()
	tokens := b.Cardinality(store.TokensKey(account.ServiceAccount))
	w.Must(b.Do(t.Context()))
	if tokens.Value() != 0 {
		t.Errorf("%d tokens are left", tokens.Value())
	}
	refused(w, "creator", http.MethodGet, "/v1/orgs/"+w.Org+"/service-accounts/"+account.ServiceAccount, nil, http.StatusNotFound)
}

// TestServiceTokenIsLimited checks the limits of tokens of service accounts: time, spaces and groups of operations, and that what is
// missing is named.
func TestServiceTokenIsLimited(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleAdmin)
	open, closed := w.NewSpace(), w.NewSpace()
	site := servertest.NewSite(w, api.SitePublic, open.ID)
	all := []api.Scope{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin}
	one := servertest.NewServiceToken(w, account.ServiceAccount, api.ServiceAccountTokenCreate{
		Name: "one space", Scopes: all, Spaces: []string{open.ID},
	})
	servertest.NewServiceToken(w, account.ServiceAccount, api.ServiceAccountTokenCreate{
		Name: "comments", Scopes: all, Groups: []api.OperationGroup{"comments", "spaces"},
	})
	const day = 24 * time.Hour
	if days := one.ExpiresAt.Sub(w.Clock.Now()); days > 90*day || days < 89*day || !slices.Equal(one.Spaces, []string{open.ID}) {
		t.Errorf("token: %+v", one)
	}
	servertest.Do(w, "one space", api.GetSpace, api.GetSpaceInput{Space: open.ID})
	refused(w, "one space", http.MethodGet, "/v1/spaces/"+closed.ID, nil, http.StatusForbidden, "limited to 1 space", "this space")
	refused(w, "one space", http.MethodGet, "/v1/orgs/"+w.Org+"/sites/"+site.Site, nil, http.StatusForbidden, "this site")
	refused(w, "one space", http.MethodPatch, "/v1/orgs/"+w.Org, api.OrganizationPatch{Title: api.Some("x")}, http.StatusForbidden,
		"as a whole")
	refused(w, "one space", http.MethodGet, "/v1/orgs/"+w.Org+"/audit-events", nil, http.StatusForbidden, "limited to 1 space")
	refused(w, "one space", http.MethodPost, "/v1/orgs/"+w.Org+"/spaces", api.SpaceCreate{Title: "New"}, http.StatusForbidden, "as a whole")
	for _, list := range []string{"/link-invites", "/openapi", "/members/" + account.ServiceAccount + "/spaces"} {
		refused(w, "one space", http.MethodGet, "/v1/orgs/"+w.Org+list, nil, http.StatusForbidden, "limited to 1 space")
	}
	refused(w, "one space", http.MethodDelete, "/v1/user/tokens/"+one.ID+"x", nil, http.StatusNotFound)
	refused(w, "one space", http.MethodGet, "/v1/spaces/"+servertest.AbsentID(open.ID), nil, http.StatusNotFound)
	listed := servertest.Do(w, "one space", api.ListSpaces, api.ListSpacesInput{Organization: w.Org})
	if len(listed.Items) != 1 || listed.Items[0].ID != open.ID {
		t.Errorf("spaces: %+v", listed.Items)
	}
	servertest.Do(w, "comments", api.ListComments, api.ListCommentsInput{Space: open.ID})
	refused(w, "comments", http.MethodGet, "/v1/spaces/"+open.ID+"/change-requests", nil, http.StatusForbidden,
		"change-requests", "comments, spaces")
	for body, words := range map[string]string{
		`{"name":"x","expiresAt":"2190-01-01T00:00:00Z"}`: "at most 366 days",
		`{"name":"x","spaces":["s_none"]}`:                "spaces[0]",
		`{"name":"x","groups":["comments","comments"]}`:   "repeats comments",
		`{"name":"x","groups":["everything"]}`:            "groups[0]",
		`{"name":"x","spaces":[]}`:                        "spaces",
		`{"name":"x","scopes":["read","read"]}`:           "scopes[1]",
	} {
		refused(w, "admin", http.MethodPost, "/v1/orgs/"+w.Org+"/service-accounts/"+account.ServiceAccount+"/tokens", []byte(body),
			http.StatusUnprocessableEntity, words)
	}
	refused(w, "admin", http.MethodPost, "/v1/orgs/"+w.Org+"/service-accounts/"+w.Users["reader"].ID+"/tokens",
		api.ServiceAccountTokenCreate{Name: "of a person"}, http.StatusNotFound)
	w.Clock.Advance(91 * 24 * time.Hour)
	if servertest.TokenWorks(w, "one space") {
		t.Error("the token works after 90 days")
	}
}

// TestServiceTokenIsUnknownToOlderBuilds checks that the digest of a token of a service account is not that of its secret, by which
// builds that ignore its limits would accept it, also after a rotation.
func TestServiceTokenIsUnknownToOlderBuilds(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleAdmin)
	token := servertest.NewServiceToken(w, account.ServiceAccount, api.ServiceAccountTokenCreate{
		Name: "rotated", Groups: []api.OperationGroup{"tokens", "user"},
	})
	rotated := servertest.Do(w, "rotated", api.RotateToken, servertest.RotateInput(token.ID, time.Minute))
	refused(w, "bot", http.MethodDelete, "/v1/user/tokens/"+token.ID, nil, http.StatusForbidden, "only itself")
	for _, text := range []string{token.Token, rotated.Token} {
		w.Tokens["some"] = text
		if !servertest.TokenWorks(w, "some") {
			t.Errorf("a secret of the rotated token does not work")
		}
	}
	w.Must(w.Store.Update(t.Context(), store.User(account.ServiceAccount), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.Token(account.ServiceAccount, token.ID)
		if err != nil {
			return err
		}
		if len(d.Private.Digest) == len(auth.Digest("")) {
			t.Errorf("another build could accept a secret with the digest %q", d.Private.Digest)
		}
		d.Private.Service = nil // as a build reads it that does not know the member
		_, err = tx.PutToken(account.ServiceAccount, d)
		return err
	}))
	for _, text := range []string{token.Token, rotated.Token} {
		w.Tokens["some"] = text
		if servertest.TokenWorks(w, "some") {
			t.Error("the token works without its limits")
		}
	}
}

// TestVerdictsOfServiceAccountsCountWhereNamed checks that the approval of a service account clears only a merge rule that names it.
func TestVerdictsOfServiceAccountsCountWhereNamed(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleReview)
	space := w.NewSpace()
	merges := func(status api.ReviewStatus, rules ...api.MergeRule) bool {
		t.Helper()
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space.ID, Body: api.SpacePatch{
			MergeRules: api.Some(api.MergeRules{Type: api.MergeRulesListed, Rules: rules}),
		}})
		r := w.CreateRequest("admin", space.ID, "Change")
		edited := w.Edit("admin", r, servertest.Insert("Page", "", "# Page\n"))
		servertest.Do(w, "bot", api.CreateChangeRequestReview, api.CreateReviewInput{
			ChangeRequestRef: servertest.Ref(r), Body: api.ReviewCreate{Status: status, Revision: edited.ChangeRequest.Revision},
		})
		got := w.Send("admin", http.MethodPost, "/v1/spaces/"+space.ID+"/change-requests/"+r.ID+"/merge", nil)
		return got.Status == http.StatusOK
	}
	rule := func(name api.MergeRuleName) api.MergeRule { return api.MergeRule{Rule: name} }
	if merges(api.ReviewApproved, rule(api.RuleApproval)) || merges(api.ReviewApproved, rule(api.RuleReview)) {
		t.Error("the approval of a service account cleared a rule that does not name it")
	}
	if !merges(api.ReviewChangesRequested, rule(api.RuleAllApproved)) {
		t.Error("a service account that requested changes blocked the rule that all reviews are approvals")
	}
	if merges(api.ReviewApproved, api.MergeRule{Rule: api.RuleCustom, Expression: "approvals >= 1", Message: "Approve it."}) {
		t.Error("the approval of a service account is in the approvals of custom rules")
	}
	anyReview := `any(reviews, .status == "approved")`
	if merges(api.ReviewApproved, api.MergeRule{Rule: api.RuleCustom, Expression: anyReview, Message: "Approve it."}) {
		t.Error("the approval of a service account is in the reviews of custom rules")
	}
	if !merges(api.ReviewApproved, api.MergeRule{
		Rule: api.RuleCustom, Expression: `any(serviceReviews, .status == "approved" && .reviewer == "` + account.ServiceAccount + `")`,
		Message: "Check it.",
	}) {
		t.Error("the approval of a service account is not in the reviews of service accounts")
	}
	if !merges(api.ReviewApproved, api.MergeRule{Rule: api.RuleSpecificReviewers, Users: []string{account.ServiceAccount}}) {
		t.Error("the approval of a service account did not clear the rule that names it")
	}
}

// TestServiceAccountChangesAreCompleted checks that a job completes the change of a service account if the process stopped after the commit
// in the organization.
func TestServiceAccountChangesAreCompleted(t *testing.T) {
	t.Parallel()
	w, account := serviceWorld(t, api.RoleRead)
	change := func(do func(tx *store.Tx) error) {
		t.Helper()
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.Schedule(w.Org, store.ServiceAccountJob(account.ServiceAccount), store.UserJobTime)
			return do(tx)
		}))
		w.Clock.Advance(2 * store.UserJobTime)
		servertest.RunJobs(w)
	}
	change(func(tx *store.Tx) error {
		m, err := tx.Member(w.Org, account.ServiceAccount)
		if err != nil {
			return err
		}
		m.Private.User.DisplayName = "Renamed"
		_, err = tx.PutMember(w.Org, m)
		return err
	})
	if me := servertest.Do(w, "bot", api.GetUser, api.NoInput{}); me.DisplayName != "Renamed" {
		t.Errorf("the account is called %q", me.DisplayName)
	}
	change(func(tx *store.Tx) error {
		m, err := tx.Member(w.Org, account.ServiceAccount)
		if err != nil {
			return err
		}
		return tx.DeleteMember(w.Org, m)
	})
	if servertest.TokenWorks(w, "bot") {
		t.Error("the token works after the end of the account")
	}
}
