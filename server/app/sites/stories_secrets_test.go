package sites_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestSecretsAreNotStored checks that the store contains no usable secret, including the stored results of idempotent
// requests.
func TestSecretsAreNotStored(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		secrets := map[string]string{"the admin's token": secretOf(w.Tokens["admin"])}
		made := func(what, method, path string, body any) (response struct {
			ID, Secret, Token, PrivateKey string
			Invites                       []struct{ Secret string }
			URLs                          struct{ Published string }
		},
		) {
			as := "admin"
			if what == "accept" {
				as = "" // new user
			}
			a := w.Send(as, method, path, body, "Idempotency-Key", what)
			if a.Status >= http.StatusMultipleChoices {
				t.Fatalf("%s: %d %s", what, a.Status, a.Body)
			}
			servertest.Decode(w, a, &response)
			return response
		}
		org := "/v1/orgs/" + w.Org
		secrets["a token"] = secretOf(made("token", http.MethodPost, "/v1/user/tokens", api.TokenCreate{Name: "x"}).Token)
		invite := made("invite", http.MethodPost, org+"/invites", api.InviteCreate{
			Emails: api.Invitees("somebody@elsewhere.example"),
		}).Invites[0].Secret
		secrets["an invite"] = secretOf(invite)
		secrets["an invite link"] = secretOf(made("link", http.MethodPost, org+"/link-invites",
			api.LinkInviteCreate{Role: api.Some(api.RoleRead)}).Secret)
		secrets["the first token"] = secretOf(made("accept", http.MethodPost, "/v1/invites/accept", api.InviteAccept{Secret: invite}).Token)
		site := servertest.PublishedSite(w, api.SiteShareLink, w.NewSpace().ID)
		published := made("share link", http.MethodPost, org+"/sites/"+site.Site+"/share-links",
			api.ShareLinkCreate{Name: "x"}).URLs.Published
		address, err := url.Parse(published)
		w.Must(err)
		secrets["a share key"] = address.Query().Get("shareKey")
		secrets["a visitors' key"] = made("key", http.MethodPost, org+"/sites/"+site.Site+"/publishing/auth/regenerate", nil).PrivateKey
		body := w.LinterIntegration("Linter")
		made("integration", http.MethodPost, "/v1/integrations/acme.linter", body)
		secrets["an integration's"] = string(body.Secrets["token"])
		for what, secret := range secrets {
			if len(secret) < 6 {
				t.Fatalf("%s: %q is no secret", what, secret)
			}
			for key, value := range w.Dump() {
				if strings.Contains(strings.ToLower(key+value), strings.ToLower(secret)) {
					t.Errorf("%s stands in %s", what, key)
				}
			}
		}
	})
}

// secretOf returns the last part of a token or invite secret, which is random.
func secretOf(text string) string { return text[strings.LastIndex(text, "_")+1:] }
