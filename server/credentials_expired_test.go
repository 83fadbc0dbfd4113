package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// expiredCredential is a kind of credential and the condition that ends it; try causes the condition and returns the outcome of
// using the credential afterwards.
type expiredCredential struct {
	name, condition string
	try             func(w *servertest.World) string
}

var expiredCredentials = []expiredCredential{
	{"token", "its owner was removed", func(w *servertest.World) string {
		space := w.NewSpace().ID
		removeMember(w, "editor")
		return tryRead(w, "editor", space)
	}},
	{"token", "its owner was removed and has come back", func(w *servertest.World) string {
		space := w.NewSpace().ID
		removeMember(w, "editor")
		w.SetMember("editor", api.RoleEdit)
		return tryRead(w, "editor", space)
	}},
	{"token of one organization", "its owner was removed and has come back", func(w *servertest.World) string {
		space := w.NewSpace().ID
		servertest.NewToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.Org)})
		w.Clock.Advance(time.Minute)
		removeMember(w, "editor")
		w.SetMember("editor", api.RoleEdit)
		return tryRead(w, "bound", space)
	}},
	{"child token", "its parent was rotated", func(w *servertest.World) string {
		parent := createTokenPair(w)
		servertest.Do(w, "admin", api.RotateToken, servertest.RotateInput(parent.ID, 0))
		return tryRead(w, "child", w.NewSpace().ID)
	}},
	{"child token", "its parent was revoked", func(w *servertest.World) string {
		parent := createTokenPair(w)
		servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
		return tryRead(w, "child", w.NewSpace().ID)
	}},
	{"child token", "its parent has expired", func(w *servertest.World) string {
		createTokenPair(w)
		w.Clock.Advance(time.Hour)
		return tryRead(w, "child", w.NewSpace().ID)
	}},
	{"child of an old secret", "that has ended", func(w *servertest.World) string {
		token := servertest.NewToken(w, "admin", "parent", api.TokenCreate{})
		servertest.Do(w, "parent", api.RotateToken, servertest.RotateInput(token.ID, time.Hour))
		servertest.NewToken(w, "parent", "child", api.TokenCreate{})
		w.Clock.Advance(time.Hour)
		return tryRead(w, "child", w.NewSpace().ID)
	}},
	{"token of an installation", "an hour is over", func(w *servertest.World) string {
		space, _ := installIntegration(w)
		w.Clock.Advance(time.Hour)
		return tryRead(w, "installation", space)
	}},
	{"token of an installation", "it was uninstalled", func(w *servertest.World) string {
		space, at := installIntegration(w)
		servertest.Do(w, "admin", api.DeleteIntegrationInstallation, at)
		return tryRead(w, "installation", space)
	}},
	{"token of an installation", "the integration was unpublished", func(w *servertest.World) string {
		space, at := installIntegration(w)
		servertest.Do(w, "admin", api.UnpublishIntegration, at.IntegrationRef)
		return tryRead(w, "installation", space)
	}},
	{"token of an installation", "it was, and published again", func(w *servertest.World) string {
		space, at := installIntegration(w)
		servertest.Do(w, "admin", api.UnpublishIntegration, at.IntegrationRef)
		w.Publish(at.Integration, w.LinterIntegration("Linter"))
		return tryRead(w, "installation", space)
	}},
	{"token of an installation", "the space is not selected any more", func(w *servertest.World) string {
		space, at := installIntegration(w)
		servertest.Do(w, "admin", api.DeleteInstallationSpace, api.InstallationSpaceRef{InstallationRef: at, Space: space})
		return tryRead(w, "installation", space)
	}},
	{"token of an installation", "the token that made it was revoked", func(w *servertest.World) string {
		space, _ := installIntegration(w)
		revokeSpareToken(w)
		return tryRead(w, "installation", space)
	}},
	{"token of an installation", "who made it was removed", func(w *servertest.World) string {
		w.SetMember("creator", api.RoleAdmin)
		space, at := installIntegration(w)
		w.Tokens["installation"] = servertest.Do(w, "creator", api.CreateInstallationToken, at).Token
		removeMember(w, "creator")
		return tryRead(w, "installation", space)
	}},
	{"first token of an invite", "the maker's token was revoked", func(w *servertest.World) string {
		acceptInvite(w, servertest.InviteAs(w, createSpareToken(w), servertest.ChiefEmail, api.RoleRead))
		revokeSpareToken(w)
		return tryRead(w, "member", w.NewSpace().ID)
	}},
	{"first token of an invite", "the maker was removed", func(w *servertest.World) string {
		w.SetMember("creator", api.RoleAdmin)
		acceptInvite(w, servertest.InviteAs(w, "creator", servertest.ChiefEmail, api.RoleRead))
		removeMember(w, "creator")
		return tryRead(w, "member", w.NewSpace().ID)
	}},
	{"first token of an invite", "the membership has ended", func(w *servertest.World) string {
		made := acceptInvite(w, servertest.InviteAs(w, "admin", servertest.ChiefEmail, api.RoleRead))
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: made.ID})
		return tryRead(w, "member", w.NewSpace().ID)
	}},
	{"first token of a link", "the link was deleted", func(w *servertest.World) string {
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		servertest.AcceptLink(w, "member", link)
		servertest.Do(w, "admin", api.DeleteLinkInvite, api.LinkInviteRef{Organization: w.Org, LinkInvite: link.ID})
		return tryRead(w, "member", w.NewSpace().ID)
	}},
	{"invite", "the maker's token was revoked", func(w *servertest.World) string {
		invite := servertest.InviteAs(w, createSpareToken(w), servertest.ChiefEmail, api.RoleRead)
		revokeSpareToken(w)
		return outcome(servertest.Try(w, "", api.AcceptInvite, servertest.AcceptInput(invite)))
	}},
	{"invite", "the maker's token was rotated", func(w *servertest.World) string {
		invite := servertest.InviteAs(w, createSpareToken(w), servertest.ChiefEmail, api.RoleRead)
		servertest.Do(w, "admin", api.RotateToken, servertest.RotateInput(w.Users["spare"].ID, 0))
		return outcome(servertest.Try(w, "", api.AcceptInvite, servertest.AcceptInput(invite)))
	}},
	{"invite", "the maker's token has expired", func(w *servertest.World) string {
		servertest.NewToken(w, "admin", "short", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Minute)})
		invite := servertest.InviteAs(w, "short", servertest.ChiefEmail, api.RoleRead)
		w.Clock.Advance(time.Minute)
		return outcome(servertest.Try(w, "", api.AcceptInvite, servertest.AcceptInput(invite)))
	}},
	{"invite", "the maker was removed", func(w *servertest.World) string {
		w.SetMember("creator", api.RoleAdmin)
		invite := servertest.InviteAs(w, "creator", servertest.ChiefEmail, api.RoleRead)
		removeMember(w, "creator")
		return outcome(servertest.Try(w, "", api.AcceptInvite, servertest.AcceptInput(invite)))
	}},
	{"invite as admin", "the maker is an editor now", func(w *servertest.World) string {
		w.SetMember("creator", api.RoleAdmin)
		invite := servertest.InviteAs(w, "creator", servertest.ChiefEmail, api.RoleAdmin)
		w.SetMember("creator", api.RoleEdit)
		acceptInvite(w, invite)
		return "200 with the role " + string(servertest.ShownRole(w, "member", w.NewSpace().ID))
	}},
	{"invite link", "the maker's token was revoked", func(w *servertest.World) string {
		link := w.CreateLinkInvite(createSpareToken(w), api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		revokeSpareToken(w)
		return outcome(servertest.Try(w, "", api.AcceptInvite, servertest.AcceptLinkInput(link)))
	}},
	{"invite link", "the maker was removed", func(w *servertest.World) string {
		w.SetMember("creator", api.RoleAdmin)
		link := w.CreateLinkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		removeMember(w, "creator")
		return outcome(servertest.Try(w, "", api.AcceptInvite, servertest.AcceptLinkInput(link)))
	}},
	{"invite link into a space", "the maker only reads there now", func(w *servertest.World) string {
		space := w.NewSpace().ID
		link := w.CreateLinkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		w.SetMember("creator", api.RoleRead)
		servertest.AcceptLink(w, "member", link)
		return "200 with the role " + string(servertest.ShownRole(w, "member", space))
	}},
	{"share key", "the maker was removed", func(w *servertest.World) string {
		site := newSharedSite(w)
		removeMember(w, "creator")
		return tryVisit(w, site)
	}},
	{"share key", "the share link was deleted", func(w *servertest.World) string {
		site := newSharedSite(w)
		servertest.Do(w, "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: site.site, ShareLink: site.link.ID})
		return tryVisit(w, site)
	}},
	{"share key", "the site is not published any more", func(w *servertest.World) string {
		site := newSharedSite(w)
		servertest.Do(w, "admin", api.UnpublishSite, site.site)
		return tryVisit(w, site)
	}},
	{"share key", "the site was deleted", func(w *servertest.World) string {
		site := newSharedSite(w)
		servertest.Do(w, "admin", api.DeleteSite, site.site)
		return tryVisit(w, site)
	}},
	{"visitor's token", "the maker of the key was removed", func(w *servertest.World) string {
		site := newSignedSite(w)
		removeMember(w, "creator")
		return tryVisit(w, site)
	}},
	{"visitor's token", "the key was made anew", func(w *servertest.World) string {
		site := newSignedSite(w)
		servertest.Do(w, "admin", api.RegenerateSiteAuth, site.site)
		return tryVisit(w, site)
	}},
	{"visitor's token", "the site was deleted", func(w *servertest.World) string {
		site := newSignedSite(w)
		servertest.Do(w, "admin", api.DeleteSite, site.site)
		return tryVisit(w, site)
	}},
	{"signed address", "who was given it was removed", func(w *servertest.World) string {
		site := newSharedSite(w)
		removeMember(w, "creator")
		return tryDownload(w, site)
	}},
	{"signed address", "the site was deleted", func(w *servertest.World) string {
		site := newSharedSite(w)
		servertest.Do(w, "admin", api.DeleteSite, site.site)
		return tryDownload(w, site)
	}},
	{"signed address", "its hour is over", func(w *servertest.World) string {
		site := newSharedSite(w)
		w.Clock.Advance(time.Hour + time.Second)
		return tryDownload(w, site)
	}},
}

// outcome returns a response as shown in the table: its status, and the reason if it is refused.
func outcome(a servertest.Response) string {
	return strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Error().Reason))
}

func tryRead(w *servertest.World, as, space string) string {
	return outcome(w.Send(as, http.MethodGet, "/v1/spaces/"+space, nil))
}

func tryVisit(w *servertest.World, v *visitedSite) string {
	return outcome(w.Send("", http.MethodGet, "/v1/spaces/"+v.space+"?"+v.query, nil))
}

func tryDownload(w *servertest.World, v *visitedSite) string {
	address, err := url.Parse(v.download)
	w.Must(err)
	return outcome(w.Send("", http.MethodGet, address.RequestURI(), nil))
}

// removeMember removes a member from the organization, one second after the previous step and one before the next.
func removeMember(w *servertest.World, who string) {
	w.T.Helper()
	w.Clock.Advance(time.Second)
	servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users[who].ID})
	w.Clock.Advance(time.Second)
}

// createTokenPair creates a token that expires in an hour, and uses it to create a child token.
func createTokenPair(w *servertest.World) api.Token {
	w.T.Helper()
	parent := servertest.NewToken(w, "admin", "parent", api.TokenCreate{ExpiresAt: servertest.TimeAfter(w, time.Hour)})
	servertest.NewToken(w, "parent", "child", api.TokenCreate{})
	return parent
}

// createSpareToken creates another token of the admin and returns its name. The id of the token is stored in w.Users under the
// same name.
func createSpareToken(w *servertest.World) string {
	w.T.Helper()
	w.Users["spare"] = api.UserFields{ID: servertest.NewToken(w, "admin", "spare", api.TokenCreate{}).ID}
	return "spare"
}

// revokeSpareToken revokes the spare token.
func revokeSpareToken(w *servertest.World) {
	w.T.Helper()
	servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: w.Users["spare"].ID})
}

// acceptInvite accepts an invite as a new user and stores the token of the user under the name "member".
func acceptInvite(w *servertest.World, i api.Invite) api.Accepted {
	w.T.Helper()
	made := servertest.Do(w, "", api.AcceptInvite, servertest.AcceptInput(i))
	w.Tokens["member"] = made.Token
	return made
}

// installIntegration installs an integration in a new space and a site with it, creates a token of the installation under the
// name "installation", and returns the space and the installation.
func installIntegration(w *servertest.World) (space string, at api.InstallationRef) {
	w.T.Helper()
	body := w.LinterIntegration("Linter")
	body.Scopes = []api.IntegrationScope{"space:metadata:read"}
	name := w.Publish("acme.linter", body).Name
	at = api.InstallationRef{IntegrationRef: api.IntegrationRef{Integration: name}, Installation: w.Install(name)}
	space = w.NewSpace().ID
	w.RestrictInstallation(name, at.Installation, space, servertest.NewSite(w, api.SitePublic, space).Site)
	w.Tokens["installation"] = servertest.Do(w, createSpareToken(w), api.CreateInstallationToken, at).Token
	return space, at
}
