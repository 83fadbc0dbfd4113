package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// outliving is a credential and what has ended since it was made; try answers with what it opens then.
type outliving struct {
	what, when string
	try        func(w *world) string
}

var outlived = []outliving{
	{"token", "its owner was removed", func(w *world) string {
		space := w.newSpace().ID
		w.removed("editor")
		return w.reads("editor", space)
	}},
	{"token", "its owner was removed and has come back", func(w *world) string {
		space := w.newSpace().ID
		w.removed("editor")
		w.member("editor", api.RoleEdit)
		return w.reads("editor", space)
	}},
	{"token of one organization", "its owner was removed and has come back", func(w *world) string {
		space := w.newSpace().ID
		w.newToken("editor", "bound", api.TokenCreate{Organization: api.Some(w.org)})
		w.clock.Advance(time.Minute)
		w.removed("editor")
		w.member("editor", api.RoleEdit)
		return w.reads("bound", space)
	}},
	{"child token", "its parent was rotated", func(w *world) string {
		parent := w.family()
		do(w, "admin", api.RotateToken, rotating(parent.ID, 0))
		return w.reads("child", w.newSpace().ID)
	}},
	{"child token", "its parent was revoked", func(w *world) string {
		parent := w.family()
		do(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
		return w.reads("child", w.newSpace().ID)
	}},
	{"child token", "its parent has expired", func(w *world) string {
		w.family()
		w.clock.Advance(time.Hour)
		return w.reads("child", w.newSpace().ID)
	}},
	{"child of an old secret", "that has ended", func(w *world) string {
		token := w.newToken("admin", "parent", api.TokenCreate{})
		do(w, "parent", api.RotateToken, rotating(token.ID, time.Hour))
		w.newToken("parent", "child", api.TokenCreate{})
		w.clock.Advance(time.Hour)
		return w.reads("child", w.newSpace().ID)
	}},
	{"first token of an invite", "the maker's token was revoked", func(w *world) string {
		w.came(w.inviteAs(w.spareToken(), chief, api.RoleRead))
		w.revoked("spare")
		return w.reads("member", w.newSpace().ID)
	}},
	{"first token of an invite", "the maker was removed", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		w.came(w.inviteAs("creator", chief, api.RoleRead))
		w.removed("creator")
		return w.reads("member", w.newSpace().ID)
	}},
	{"first token of an invite", "the membership has ended", func(w *world) string {
		made := w.came(w.inviteAs("admin", chief, api.RoleRead))
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: made.ID})
		return w.reads("member", w.newSpace().ID)
	}},
	{"first token of a link", "the link was deleted", func(w *world) string {
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.follow("member", link)
		do(w, "admin", api.DeleteLinkInvite, api.LinkInviteRef{Organization: w.org, LinkInvite: link.ID})
		return w.reads("member", w.newSpace().ID)
	}},
	{"invite", "the maker's token was revoked", func(w *world) string {
		invite := w.inviteAs(w.spareToken(), chief, api.RoleRead)
		w.revoked("spare")
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite", "the maker's token was rotated", func(w *world) string {
		invite := w.inviteAs(w.spareToken(), chief, api.RoleRead)
		do(w, "admin", api.RotateToken, rotating(w.users["spare"].ID, 0))
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite", "the maker's token has expired", func(w *world) string {
		w.newToken("admin", "short", api.TokenCreate{ExpiresAt: w.in(time.Minute)})
		invite := w.inviteAs("short", chief, api.RoleRead)
		w.clock.Advance(time.Minute)
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite", "the maker was removed", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		invite := w.inviteAs("creator", chief, api.RoleRead)
		w.removed("creator")
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite as admin", "the maker is an editor now", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		invite := w.inviteAs("creator", chief, api.RoleAdmin)
		w.member("creator", api.RoleEdit)
		w.came(invite)
		return "200 with the role " + string(w.shownRole("member", w.newSpace().ID))
	}},
	{"invite link", "the maker's token was revoked", func(w *world) string {
		link := w.linkInvite(w.spareToken(), api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.revoked("spare")
		return outcome(try(w, "", api.AcceptInvite, following(link)))
	}},
	{"invite link", "the maker was removed", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		link := w.linkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		w.removed("creator")
		return outcome(try(w, "", api.AcceptInvite, following(link)))
	}},
	{"invite link into a space", "the maker only reads there now", func(w *world) string {
		space := w.newSpace().ID
		link := w.linkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		w.member("creator", api.RoleRead)
		w.follow("member", link)
		return "200 with the role " + string(w.shownRole("member", space))
	}},
	{"share key", "the maker was removed", func(w *world) string {
		site := w.sharedSite()
		w.removed("creator")
		return w.visits(site)
	}},
	{"share key", "the share link was deleted", func(w *world) string {
		site := w.sharedSite()
		do(w, "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: site.site, ShareLink: site.link.ID})
		return w.visits(site)
	}},
	{"share key", "the site is not published any more", func(w *world) string {
		site := w.sharedSite()
		do(w, "admin", api.UnpublishSite, site.site)
		return w.visits(site)
	}},
	{"share key", "the site was deleted", func(w *world) string {
		site := w.sharedSite()
		do(w, "admin", api.DeleteSite, site.site)
		return w.visits(site)
	}},
	{"visitor's token", "the maker of the key was removed", func(w *world) string {
		site := w.signedSite()
		w.removed("creator")
		return w.visits(site)
	}},
	{"visitor's token", "the key was made anew", func(w *world) string {
		site := w.signedSite()
		do(w, "admin", api.RegenerateSiteAuth, site.site)
		return w.visits(site)
	}},
	{"visitor's token", "the site was deleted", func(w *world) string {
		site := w.signedSite()
		do(w, "admin", api.DeleteSite, site.site)
		return w.visits(site)
	}},
	{"signed address", "who was given it was removed", func(w *world) string {
		site := w.sharedSite()
		w.removed("creator")
		return w.downloads(site)
	}},
	{"signed address", "the site was deleted", func(w *world) string {
		site := w.sharedSite()
		do(w, "admin", api.DeleteSite, site.site)
		return w.downloads(site)
	}},
	{"signed address", "its hour is over", func(w *world) string {
		site := w.sharedSite()
		w.clock.Advance(time.Hour + time.Second)
		return w.downloads(site)
	}},
}

// outcome is an answer in the table: its status, and the reason where it is refused.
func outcome(a answer) string {
	return strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Error().Reason))
}

func (w *world) reads(as, space string) string {
	return outcome(w.raw(as, http.MethodGet, "/v1/spaces/"+space, nil))
}

func (w *world) visits(v *visitedSite) string {
	return outcome(w.raw("", http.MethodGet, "/v1/spaces/"+v.space+"?"+v.query, nil))
}

func (w *world) downloads(v *visitedSite) string {
	address, err := url.Parse(v.download)
	w.must(err)
	return outcome(w.raw("", http.MethodGet, address.RequestURI(), nil))
}

// removed ends a membership.
func (w *world) removed(who string) {
	w.t.Helper()
	w.clock.Advance(time.Second)
	do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users[who].ID})
	w.clock.Advance(time.Second)
}

// family makes a token that ends in an hour, and with it another.
func (w *world) family() api.Token {
	w.t.Helper()
	parent := w.newToken("admin", "parent", api.TokenCreate{ExpiresAt: w.in(time.Hour)})
	w.newToken("parent", "child", api.TokenCreate{})
	return parent
}

// spareToken makes another token of the admin's; its id is kept beside those of users.
func (w *world) spareToken() string {
	w.t.Helper()
	w.users["spare"] = api.UserFields{ID: w.newToken("admin", "spare", api.TokenCreate{}).ID}
	return "spare"
}

func (w *world) revoked(name string) {
	w.t.Helper()
	do(w, "admin", api.DeleteToken, api.TokenRef{Token: w.users[name].ID})
}

// came accepts an invite as somebody new.
func (w *world) came(i api.Invite) api.Accepted {
	w.t.Helper()
	made := do(w, "", api.AcceptInvite, accepting(i))
	w.tokens["member"] = made.Token
	return made
}
