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
		removed(w, "editor")
		return reads(w, "editor", space)
	}},
	{"token", "its owner was removed and has come back", func(w *world) string {
		space := w.newSpace().ID
		removed(w, "editor")
		w.member("editor", api.RoleEdit)
		return reads(w, "editor", space)
	}},
	{"token of one organization", "its owner was removed and has come back", func(w *world) string {
		space := w.newSpace().ID
		newToken(w, "editor", "bound", api.TokenCreate{Organization: api.Some(w.org)})
		w.clock.Advance(time.Minute)
		removed(w, "editor")
		w.member("editor", api.RoleEdit)
		return reads(w, "bound", space)
	}},
	{"child token", "its parent was rotated", func(w *world) string {
		parent := family(w)
		do(w, "admin", api.RotateToken, rotating(parent.ID, 0))
		return reads(w, "child", w.newSpace().ID)
	}},
	{"child token", "its parent was revoked", func(w *world) string {
		parent := family(w)
		do(w, "admin", api.DeleteToken, api.TokenRef{Token: parent.ID})
		return reads(w, "child", w.newSpace().ID)
	}},
	{"child token", "its parent has expired", func(w *world) string {
		family(w)
		w.clock.Advance(time.Hour)
		return reads(w, "child", w.newSpace().ID)
	}},
	{"child of an old secret", "that has ended", func(w *world) string {
		token := newToken(w, "admin", "parent", api.TokenCreate{})
		do(w, "parent", api.RotateToken, rotating(token.ID, time.Hour))
		newToken(w, "parent", "child", api.TokenCreate{})
		w.clock.Advance(time.Hour)
		return reads(w, "child", w.newSpace().ID)
	}},
	{"first token of an invite", "the maker's token was revoked", func(w *world) string {
		came(w, inviteAs(w, spareToken(w), chief, api.RoleRead))
		revoked(w, "spare")
		return reads(w, "member", w.newSpace().ID)
	}},
	{"first token of an invite", "the maker was removed", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		came(w, inviteAs(w, "creator", chief, api.RoleRead))
		removed(w, "creator")
		return reads(w, "member", w.newSpace().ID)
	}},
	{"first token of an invite", "the membership has ended", func(w *world) string {
		made := came(w, inviteAs(w, "admin", chief, api.RoleRead))
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: made.ID})
		return reads(w, "member", w.newSpace().ID)
	}},
	{"first token of a link", "the link was deleted", func(w *world) string {
		link := w.linkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		follow(w, "member", link)
		do(w, "admin", api.DeleteLinkInvite, api.LinkInviteRef{Organization: w.org, LinkInvite: link.ID})
		return reads(w, "member", w.newSpace().ID)
	}},
	{"invite", "the maker's token was revoked", func(w *world) string {
		invite := inviteAs(w, spareToken(w), chief, api.RoleRead)
		revoked(w, "spare")
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite", "the maker's token was rotated", func(w *world) string {
		invite := inviteAs(w, spareToken(w), chief, api.RoleRead)
		do(w, "admin", api.RotateToken, rotating(w.users["spare"].ID, 0))
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite", "the maker's token has expired", func(w *world) string {
		newToken(w, "admin", "short", api.TokenCreate{ExpiresAt: in(w, time.Minute)})
		invite := inviteAs(w, "short", chief, api.RoleRead)
		w.clock.Advance(time.Minute)
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite", "the maker was removed", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		invite := inviteAs(w, "creator", chief, api.RoleRead)
		removed(w, "creator")
		return outcome(try(w, "", api.AcceptInvite, accepting(invite)))
	}},
	{"invite as admin", "the maker is an editor now", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		invite := inviteAs(w, "creator", chief, api.RoleAdmin)
		w.member("creator", api.RoleEdit)
		came(w, invite)
		return "200 with the role " + string(shownRole(w, "member", w.newSpace().ID))
	}},
	{"invite link", "the maker's token was revoked", func(w *world) string {
		link := w.linkInvite(spareToken(w), api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		revoked(w, "spare")
		return outcome(try(w, "", api.AcceptInvite, following(link)))
	}},
	{"invite link", "the maker was removed", func(w *world) string {
		w.member("creator", api.RoleAdmin)
		link := w.linkInvite("creator", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		removed(w, "creator")
		return outcome(try(w, "", api.AcceptInvite, following(link)))
	}},
	{"invite link into a space", "the maker only reads there now", func(w *world) string {
		space := w.newSpace().ID
		link := w.linkInvite("creator", api.LinkInviteCreate{Level: api.RoleCreate, Space: space})
		w.member("creator", api.RoleRead)
		follow(w, "member", link)
		return "200 with the role " + string(shownRole(w, "member", space))
	}},
	{"share key", "the maker was removed", func(w *world) string {
		site := sharedSite(w)
		removed(w, "creator")
		return visits(w, site)
	}},
	{"share key", "the share link was deleted", func(w *world) string {
		site := sharedSite(w)
		do(w, "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: site.site, ShareLink: site.link.ID})
		return visits(w, site)
	}},
	{"share key", "the site is not published any more", func(w *world) string {
		site := sharedSite(w)
		do(w, "admin", api.UnpublishSite, site.site)
		return visits(w, site)
	}},
	{"share key", "the site was deleted", func(w *world) string {
		site := sharedSite(w)
		do(w, "admin", api.DeleteSite, site.site)
		return visits(w, site)
	}},
	{"visitor's token", "the maker of the key was removed", func(w *world) string {
		site := signedSite(w)
		removed(w, "creator")
		return visits(w, site)
	}},
	{"visitor's token", "the key was made anew", func(w *world) string {
		site := signedSite(w)
		do(w, "admin", api.RegenerateSiteAuth, site.site)
		return visits(w, site)
	}},
	{"visitor's token", "the site was deleted", func(w *world) string {
		site := signedSite(w)
		do(w, "admin", api.DeleteSite, site.site)
		return visits(w, site)
	}},
	{"signed address", "who was given it was removed", func(w *world) string {
		site := sharedSite(w)
		removed(w, "creator")
		return downloads(w, site)
	}},
	{"signed address", "the site was deleted", func(w *world) string {
		site := sharedSite(w)
		do(w, "admin", api.DeleteSite, site.site)
		return downloads(w, site)
	}},
	{"signed address", "its hour is over", func(w *world) string {
		site := sharedSite(w)
		w.clock.Advance(time.Hour + time.Second)
		return downloads(w, site)
	}},
}

// outcome is an answer in the table: its status, and the reason where it is refused.
func outcome(a answer) string {
	return strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Error().Reason))
}

func reads(w *world, as, space string) string {
	return outcome(w.raw(as, http.MethodGet, "/v1/spaces/"+space, nil))
}

func visits(w *world, v *visitedSite) string {
	return outcome(w.raw("", http.MethodGet, "/v1/spaces/"+v.space+"?"+v.query, nil))
}

func downloads(w *world, v *visitedSite) string {
	address, err := url.Parse(v.download)
	w.must(err)
	return outcome(w.raw("", http.MethodGet, address.RequestURI(), nil))
}

// removed ends a membership.
func removed(w *world, who string) {
	w.t.Helper()
	w.clock.Advance(time.Second)
	do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users[who].ID})
	w.clock.Advance(time.Second)
}

// family makes a token that ends in an hour, and with it another.
func family(w *world) api.Token {
	w.t.Helper()
	parent := newToken(w, "admin", "parent", api.TokenCreate{ExpiresAt: in(w, time.Hour)})
	newToken(w, "parent", "child", api.TokenCreate{})
	return parent
}

// spareToken makes another token of the admin's; its id is kept beside those of users.
func spareToken(w *world) string {
	w.t.Helper()
	w.users["spare"] = api.UserFields{ID: newToken(w, "admin", "spare", api.TokenCreate{}).ID}
	return "spare"
}

func revoked(w *world, name string) {
	w.t.Helper()
	do(w, "admin", api.DeleteToken, api.TokenRef{Token: w.users[name].ID})
}

// came accepts an invite as somebody new.
func came(w *world, i api.Invite) api.Accepted {
	w.t.Helper()
	made := do(w, "", api.AcceptInvite, accepting(i))
	w.tokens["member"] = made.Token
	return made
}
