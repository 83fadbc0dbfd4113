package orgs_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestCreateInviteWithRoles checks that invitees are given as addresses or as objects with a role of their own.
func TestCreateInviteWithRoles(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		path := "/v1/orgs/" + w.Org + "/invites"
		a := w.Call("admin", http.MethodPost, path,
			[]byte(
				`{"emails":["a@elsewhere.example",{"email":"b@elsewhere.example","role":"edit"},{"email":"c@elsewhere.example","role":null},{"email":"`+w.Users["reader"].Email+`"}],"role":"comment"}`), http.StatusOK)
		var made api.Invited
		servertest.Decode(w, a, &made)
		roles := []string{}
		for _, invite := range made.Invites {
			roles = append(roles, servertest.FormatOptional((*string)(invite.Role)))
		}
		servertest.Equal(t, "invited", 3, made.Invited)
		servertest.Equal(t, "roles", []string{
			servertest.FormatOptional(new("comment")), servertest.FormatOptional(new("edit")), servertest.FormatOptional(nil),
		}, roles)
		for field, body := range map[string]string{
			"emails[0].role":     `{"emails":[{"email":"d@elsewhere.example","role":"emperor"}]}`,
			"emails[1].email":    `{"emails":["d@elsewhere.example",{"role":"edit"}]}`,
			"emails[0].name":     `{"emails":[{"email":"d@elsewhere.example","name":"D\u0007"}]}`,
			"emails[0].teams":    `{"emails":[{"email":"d@elsewhere.example","teams":["` + strings.Repeat(`a","`, 50) + `a"]}]}`,
			"emails[0].teams[1]": `{"emails":[{"email":"d@elsewhere.example","teams":["` + w.NewTeam().ID + `","team_none"]}]}`,
			"teams[0]":           `{"emails":["d@elsewhere.example"],"teams":["no team"]}`,
			"emails":             manyTeams(),
			"emails[0]":          `{"emails":[{"email":"d@elsewhere.example","nick":"D"}]}`,
		} {
			w.WantUntouched(func() api.Error {
				e := w.Call("admin", http.MethodPost, path, []byte(body), http.StatusUnprocessableEntity).Error()
				servertest.Equal(t, body, field, e.Fields[0].Path)
				return e
			})
		}
	})
}

// manyTeams returns a body that names more teams than a request may.
func manyTeams() string {
	var people []string
	for n := range 5 {
		var teams []string
		for i := range 50 {
			teams = append(teams, fmt.Sprintf(`"team_%d_%d"`, n, i))
		}
		people = append(people, fmt.Sprintf(`{"email":"p%d@elsewhere.example","teams":[%s]}`, n, strings.Join(teams, ",")))
	}
	return `{"emails":[` + strings.Join(people, ",") + `]}`
}

// TestJoinInviteWithExistingAccount checks that a user with an account joins by the secret of an invite, or by its id
// if the invite is to their address.
func TestJoinInviteWithExistingAccount(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		join := func(invite string) api.JoinInviteInput {
			return api.JoinInviteInput{Organization: w.Org, Invite: invite}
		}
		mine := w.CreateInvite(w.Users["stranger"].Email, api.RoleEdit)
		other := w.CreateInvite("somebody@elsewhere.example", api.RoleEdit)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "stranger", api.JoinInvite, join(other.ID), http.StatusNotFound, api.ReasonNotFound)
		})
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "stranger", api.JoinInvite, join(other.Secret), http.StatusConflict, api.ReasonState)
		})
		servertest.Refused(w, "stranger", api.JoinInvite, join(other.Secret+"x"), http.StatusNotFound, api.ReasonNotFound)
		joined := servertest.Do(w, "stranger", api.JoinInvite, join(mine.ID))
		servertest.Equal(t, "who", w.Users["stranger"].ID, joined.ID)
		servertest.Equal(t, "role", api.RoleEdit, servertest.ShownRole(w, "stranger", w.NewSpace().ID))
		servertest.Refused(w, "stranger", api.JoinInvite, join(mine.ID), http.StatusNotFound, api.ReasonNotFound)

		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleReview)})
		servertest.Refused(w, "stranger", api.JoinInvite, join(link.ID), http.StatusNotFound, api.ReasonNotFound)
		servertest.Do(w, "stranger", api.JoinInvite, join(link.Secret))
		servertest.Equal(t, "raised", api.RoleReview, servertest.ShownRole(w, "stranger", w.NewSpace().ID))
		for key, value := range w.Dump() {
			if strings.Contains(value, link.Secret) {
				t.Errorf("%s keeps the secret", key)
			}
		}
	})
}
