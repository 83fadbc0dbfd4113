package rest

import (
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Record returns the key of the record that an operation reads or changes. Its version is compared with If-Match, except
// for operations that move a head. A text stored in it is accepted again even if it would be rejected as a new text. See
// Endpoint.On.
type Record func(c *Call) redis.Key

// Organization returns the key of the record of the request's organization.
func Organization(c *Call) redis.Key { return store.OrganizationKey(c.Org) }

// Member returns the key of the record of the member in the path.
func Member(c *Call) redis.Key { return store.MemberKey(c.Org, c.Path("user")) }

// ServiceAccount is the membership of the service account of the path.
func ServiceAccount(c *Call) redis.Key { return store.MemberKey(c.Org, c.Path("serviceAccount")) }

// Account returns the key of the record of the user in the path.
func Account(c *Call) redis.Key { return store.UserKey(c.Path("user")) }

// Token returns the key of the record of the caller's token in the path.
func Token(c *Call) redis.Key { return store.TokenKey(c.Caller.User, c.Path("token")) }

// Team returns the key of the record of the team in the path.
func Team(c *Call) redis.Key { return store.TeamKey(c.Org, c.Path("team")) }

// Invite returns the key of the record of the invite in the path.
func Invite(c *Call) redis.Key { return store.InviteKey(c.Org, c.Path("invite")) }

// LinkInvite returns the key of the record of the link invite in the path.
func LinkInvite(c *Call) redis.Key { return store.LinkInviteKey(c.Org, c.Path("linkInvite")) }

// SAMLProvider returns the key of the record of the SAML provider in the path.
func SAMLProvider(c *Call) redis.Key { return store.SAMLProviderKey(c.Org, c.Path("samlProvider")) }

// OIDCProvider returns the key of the record of the OIDC provider in the path.
func OIDCProvider(c *Call) redis.Key { return store.OIDCProviderKey(c.Org, c.Path("oidcProvider")) }

// Identity returns the key of the record of the identity in the path.
func Identity(c *Call) redis.Key { return store.IdentityKey(c.Org, c.Path("identity")) }

// Collection returns the key of the record of the collection in the path.
func Collection(c *Call) redis.Key { return store.CollectionKey(c.Org, c.Path("collection")) }

// Space returns the key of the record of the space in the path.
func Space(c *Call) redis.Key { return store.SpaceKey(c.Org, c.Path("space")) }

// Transfer returns the key of the record of the transfer in the path.
func Transfer(c *Call) redis.Key { return store.TransferredKey(c.Org, c.Path("transfer")) }

// ChangeRequest returns the key of the record of the change request that the path gives by id or number.
func ChangeRequest(c *Call) redis.Key {
	return store.ChangeRequestKey(c.Org, store.RequestIDOf(c.Path("space"), c.Path("changeRequest")))
}

// Target returns the key of the record of the change request in the path, or of the space if there is none.
func Target(c *Call) redis.Key {
	if c.Path("changeRequest") == "" {
		return Space(c)
	}
	return ChangeRequest(c)
}

// Comment returns the key of the record of the comment in the path.
func Comment(c *Call) redis.Key { return store.CommentKey(c.Org, c.Path("comment")) }

// Reply returns the key of the record of the reply in the path.
func Reply(c *Call) redis.Key { return store.ReplyKey(c.Org, c.Path("reply")) }

// Site returns the key of the record of the site in the path. It contains the site's structure.
func Site(c *Call) redis.Key { return store.SiteKey(c.Org, c.Path("site")) }

// ShareLink returns the key of the record of the share link in the path.
func ShareLink(c *Call) redis.Key { return store.ShareLinkKey(c.Org, c.Path("shareLink")) }

// Translation returns the key of the record of the translation in the path.
func Translation(c *Call) redis.Key { return store.TranslationKey(c.Org, c.Path("translation")) }

// Spec returns the key of the record of the API specification that the path gives by its slug.
func Spec(c *Call) redis.Key { return store.OpenAPISpecKey(c.Org, c.Path("spec")) }

// Integration returns the key of the record of the integration in the path.
func Integration(c *Call) redis.Key { return store.IntegrationKey(c.Path("integration")) }

// Installation returns the key of the record of the installation in the path.
func Installation(c *Call) redis.Key { return store.InstallationKey(c.Path("installation")) }

// ImportRun returns the key of the record of the import run in the path.
func ImportRun(c *Call) redis.Key { return store.ImportRunKey(c.Org, c.Path("importRun")) }

// InstalledSpace returns the key of the record of an installation on a space. The first write creates it.
func InstalledSpace(c *Call) redis.Key {
	return store.InstalledKey(c.Path("installation"), c.Path("space"))
}

// InstalledSite returns the key of the record of an installation on a site. The first write creates it.
func InstalledSite(c *Call) redis.Key {
	return store.InstalledKey(c.Path("installation"), c.Path("site"))
}
