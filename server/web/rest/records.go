package rest

import (
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Record returns the key of the record that an operation reads or changes. Its version is compared with If-Match, except
// for operations that move a head. A text stored in it is accepted again even if it would be rejected as a new text. See
// Endpoint.On.
type Record func(c *Call) redis.Key

// Organization returns the record of the request's organization.
func Organization(c *Call) redis.Key { return store.OrganizationKey(c.Org) }

// Member returns the record of the member that the path names.
func Member(c *Call) redis.Key { return store.MemberKey(c.Org, c.Path("user")) }

// Account returns the record of the user that the path names.
func Account(c *Call) redis.Key { return store.UserKey(c.Path("user")) }

// Token returns the record of the caller's token that the path names.
func Token(c *Call) redis.Key { return store.TokenKey(c.Caller.User, c.Path("token")) }

// Team returns the record of the team that the path names.
func Team(c *Call) redis.Key { return store.TeamKey(c.Org, c.Path("team")) }

// Invite returns the record of the invite that the path names.
func Invite(c *Call) redis.Key { return store.InviteKey(c.Org, c.Path("invite")) }

// LinkInvite returns the record of the link invite that the path names.
func LinkInvite(c *Call) redis.Key { return store.LinkInviteKey(c.Org, c.Path("linkInvite")) }

// SAMLProvider returns the record of the SAML provider that the path names.
func SAMLProvider(c *Call) redis.Key { return store.SAMLProviderKey(c.Org, c.Path("samlProvider")) }

// Collection returns the record of the collection that the path names.
func Collection(c *Call) redis.Key { return store.CollectionKey(c.Org, c.Path("collection")) }

// Space returns the record of the space that the path names.
func Space(c *Call) redis.Key { return store.SpaceKey(c.Org, c.Path("space")) }

// Transfer returns the record of the transfer that the path names.
func Transfer(c *Call) redis.Key { return store.TransferredKey(c.Org, c.Path("transfer")) }

// ChangeRequest returns the record of the change request that the path names by id or number.
func ChangeRequest(c *Call) redis.Key {
	return store.ChangeRequestKey(c.Org, store.RequestIDOf(c.Path("space"), c.Path("changeRequest")))
}

// Target returns the record of the change request that the path names or else of the space.
func Target(c *Call) redis.Key {
	if c.Path("changeRequest") == "" {
		return Space(c)
	}
	return ChangeRequest(c)
}

// Comment returns the record of the comment that the path names.
func Comment(c *Call) redis.Key { return store.CommentKey(c.Org, c.Path("comment")) }

// Reply returns the record of the reply that the path names.
func Reply(c *Call) redis.Key { return store.ReplyKey(c.Org, c.Path("reply")) }

// Site returns the record of the site that the path names. It contains the site's structure.
func Site(c *Call) redis.Key { return store.SiteKey(c.Org, c.Path("site")) }

// ShareLink returns the record of the share link that the path names.
func ShareLink(c *Call) redis.Key { return store.ShareLinkKey(c.Org, c.Path("shareLink")) }

// Translation returns the record of the translation that the path names.
func Translation(c *Call) redis.Key { return store.TranslationKey(c.Org, c.Path("translation")) }

// Spec returns the record of the API specification that the path names by its slug.
func Spec(c *Call) redis.Key { return store.OpenAPISpecKey(c.Org, c.Path("spec")) }

// Integration returns the record of the integration that the path names.
func Integration(c *Call) redis.Key { return store.IntegrationKey(c.Path("integration")) }

// Installation returns the record of the installation that the path names.
func Installation(c *Call) redis.Key { return store.InstallationKey(c.Path("installation")) }

// ImportRun returns the record of the import run that the path names.
func ImportRun(c *Call) redis.Key { return store.ImportRunKey(c.Org, c.Path("importRun")) }

// InstalledSpace returns the record of an installation on a space. The first write creates it.
func InstalledSpace(c *Call) redis.Key {
	return store.InstalledKey(c.Path("installation"), c.Path("space"))
}

// InstalledSite returns the record of an installation on a site. The first write creates it.
func InstalledSite(c *Call) redis.Key {
	return store.InstalledKey(c.Path("installation"), c.Path("site"))
}
