package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// KeyRow is one row of the catalogue of keys.
type KeyRow struct {
	Pattern     string // the key without the store's prefix; <x> is an identifier
	Kind        redis.Kind
	Description string // description of the members, fields or bytes
}

// Catalogue returns every key that this program may write. Keys of one hash tag share a slot: {o} is an
// organization's identifier, {u:..} a user, {s} a space (content) or an OpenAPI specification, {e:..} an e-mail
// address, {h:..} a hostname, {v:..} the code of a device, {g:..} one of 16 parts of a registry.
//
// Primary data is changed only by Store.Update. Superset indexes are extended before the commit they refer to,
// verified when read, and cleaned up later.
func Catalogue() []KeyRow {
	rows := slices.Concat(
		usageRows(), signInRows(), userRows(), indexRows(), searchRows(), formerSearchRows(), serverRows(), integrationRows(),
	)
	return append(rows, []KeyRow{
		{"{o}:org", redis.RecordKind, "the organization"},
		{"{o}:mem:<user>", redis.RecordKind, "a membership"},
		{"{o}:team:<team>", redis.RecordKind, "a team"},
		{"{o}:inv:<invite>", redis.RecordKind, "an invite by e-mail address"},
		{"{o}:li:<invite>", redis.RecordKind, "an invite link"},
		{"{o}:col:<collection>", redis.RecordKind, "a collection"},
		{"{o}:sp:<space>", redis.RecordKind, "a space"},
		{"{o}:cr:<request>", redis.RecordKind, "a change request"},
		{"{o}:rv:<review>", redis.RecordKind, "a review"},
		{"{o}:cm:<comment>", redis.RecordKind, "a comment"},
		{"{o}:rp:<reply>", redis.RecordKind, "a reply"},
		{"{o}:read:<request>:<user>", redis.RecordKind, "what a user has read of a change request; nobody else sees it"},
		{"{o}:sub:<request>:<user>:<submission>", redis.RecordKind, "a draft review that was posted, under the id that its user chose"},
		{"{o}:saved:<user>", redis.RecordKind, "the queries that a user has saved; nobody else sees them"},
		{"{o}:tr:<translation>", redis.RecordKind, "translation settings"},
		{"{o}:oas:<slug>", redis.RecordKind, "an OpenAPI specification"},
		{"{o}:oasv:<version>", redis.RecordKind, "a version of an OpenAPI specification"},
		{"{o}:imp:<run>", redis.RecordKind, "an import that runs in the background, or did"},
		{"{o}:saml:<provider>", redis.RecordKind, "a SAML provider"},
		{"{o}:ident:<identity>", redis.RecordKind, "a member as a provider calls them"},
		{"{o}:oidc:<provider>", redis.RecordKind, "an OIDC provider"},
		{"{o}:site:<site>", redis.RecordKind, "a site with its sections, section groups and site spaces"},
		{"{o}:link:<link>", redis.RecordKind, "a share link of a site"},
		{"{o}:domains", redis.HashKind, "e-mail domain of the organization -> how it is proven, JSON: see email_domains.go"},
		{"{o}:invited", redis.HashKind, "SHA-256 of an e-mail address -> its open invite; valid if the invite is to the address"},
		{"{o}:seen", redis.HashKind, "member -> when last seen, Unix ms"},
		{"{o}:followed", redis.HashKind, "member -> id of the last entry of {u}:events that was copied to {o}:events"},
		{"{o}:refused", redis.HashKind, "days -> day since 1970 -> number of the events of refused requests in it, JSON"},
		{"{o}:used:<token>", redis.StringKind, "when a token was last used here, Unix s, 400 days"},
		{"{o}:mv:<node>", redis.RecordKind, "where a space or collection that was made here is now"},
		{"{o}:out:<node>", redis.RecordKind, "a transfer to another organization that is under way"},
		{"{o}:in:<node>", redis.RecordKind, "a transfer from another organization that is under way"},
		{"{o}:copy:<node>", redis.RecordKind, "a copy of spaces that is under way, by one of the new ones"},
		{"{o}:tf:<transfer>", redis.RecordKind, "a transfer that was made, to another organization or from one"},
		{"{o}:kept:<transfer>:<node>", redis.RecordKind, "what went with a transfer, as it was then"},
		{"{o}:heads", redis.HashKind, "space or change request -> its head: revision, then what moves with it, separated by spaces"},
		{
			"{o}:counts", redis.HashKind, "id -> cardinalities of its indexes, separated by spaces; written by the commit from ZCARD and " +
				"SCARD",
		},
		{"{o}:kids:<parent>", redis.OrderKind, "score 0, <order key>!<id>: children of a collection or of `root`, in order"},
		{"{o}:due", redis.OrderKind, "score = due time (Unix ms), job; see store"},
		{"{o}:leases", redis.HashKind, "job -> lease: how often it was begun, and by whom"},
		{"{o}:turns", redis.HashKind, "kind of jobs that are done one at a time -> until when (Unix ms), and who is at one"},
		{"{o}:events", redis.StreamKind, "what happened, about a million entries"},
		{"{o}:shape", redis.StreamKind, "changes of {o}:shapes, 1,000 entries: id, entry (empty = gone), op"},
		{"{o}:shapes", redis.HashKind, "id -> shape entry, JSON"},
		{"{o}:epochs", redis.HashKind, "space -> sweep epoch; odd while its objects are being swept"},
		{"{o}:stale", redis.SetKind, "spaces whose head moved after their search index; superset"},
		{
			"{o}:outbox", redis.HashKind, "<space>/<hash> -> since when (Unix ms), immutable object that replicas may lack; bytes -> of " +
				"all of them",
		},
		{"{o}:idem:<hash>", redis.StringKind, "the answer to an idempotency key, 24 hours"},
		{"{o}:op:<op>", redis.StringKind, "a commit that was made, 10 minutes"},

		{"{e}", redis.StringKind, "user that claims the e-mail address of this SHA-256; valid if the user points back"},
		{
			"{h}", redis.StringKind, "`<organization>-<site>`, or organization, that claims the hostname of this SHA-256; valid if it " +
				"points back",
		},
		{"{d}", redis.OrderKind, "score 0, organization that is open to the e-mail domain of this SHA-256; superset"},
		{"{g}:orgs", redis.OrderKind, "score 0, organization; superset"},
		{"{g}:due", redis.OrderKind, "score = when to look at its jobs (Unix ms), organization; superset"},
		{"{s}:o:<byte>", redis.HashKind, "hash -> immutable object, by the first byte of the hash"},
		{"{probe}:<op>", redis.StreamKind, "written and deleted by the start-up check"},
	}...)
}

// serverRows returns the keys of the server.
func serverRows() []KeyRow {
	return []KeyRow{
		{"schema", redis.StringKind, "newest format that may be written, a number; a program refuses a newer one"},
		{"nodes", redis.OrderKind, "score end of its lease: a serving node, its newest format and its secrets; see redis.ServingNode"},
		{
			"upgrade", redis.HashKind, "format that all serving nodes know and the data does not have yet, since when (Unix ms), " +
				"known for how long (ms), after how long (ms) the data gets it",
		},
		{"secrets", redis.HashKind, "secret of the server, or old <secret> -> fingerprint of the one of the data, or that it replaced"},
		{"clocks", redis.HashKind, "last comparison of the clocks without a finding, findings of nodes, who ended them: redis/clocks.go"},
	}
}

// integrationRows returns the keys of integrations.
func integrationRows() []KeyRow {
	return []KeyRow{
		{"{i}:int:<integration>", redis.RecordKind, "an integration, by the hash of its name"},
		{"{i}:inst:<installation>", redis.RecordKind, "an installation of an integration in an organization"},
		{"{i}:at:<installation>:<content>", redis.RecordKind, "an installation on a space or site"},
		{"{i}:ix:<index>:<owner>", redis.OrderKind, "score 0, what belongs to the owner, by name or age: <name or id>!<organization>"},
		{
			"{i}:ix:installed:<installation>:<kind>", redis.OrderKind, "score 0, id: the spaces or the sites that an installation was " +
				"selected for",
		},
		{"{i}:ix:<index>:<owner>:<filter>", redis.OrderKind, "the part of it that passes a filter"},
		{"{i}:o:<byte>", redis.HashKind, "hash -> immutable object, by the first byte of the hash: images, scripts and versions"},
		{"{i}:events", redis.StreamKind, "what happened to integrations, about a million entries"},
		{"{i}:idem:<hash>", redis.StringKind, "the answer to an idempotency key, 24 hours"},
		{"{i}:op:<op>", redis.StringKind, "a commit that was made, 10 minutes"},
	}
}

// userRows returns the keys of users and their tokens.
func userRows() []KeyRow {
	return []KeyRow{
		{"{u}:user", redis.RecordKind, "a user"},
		{"{u}:tok:<token>", redis.RecordKind, "a token"},
		{"{u}:toks", redis.OrderKind, "score 0, token"},
		{"{u}:made:<token>", redis.OrderKind, "score 0, token that comes of this one, which no other made"},
		{"{u}:used:<token>", redis.StringKind, "last use, Unix ms"},
		{"{u}:rate:<window>", redis.StringKind, "requests in a window of a minute, 2 minutes"},
		{"{u}:guesses:<window>", redis.StringKind, "wrong codes of devices that were typed in a window of 10 minutes, 20 minutes"},
		{"{u}:orgs", redis.OrderKind, "score 0, organization; superset of the memberships"},
		{"{u}:turns", redis.HashKind, "as {o}:turns: jobs that the user asked for, in all organizations"},
		{
			"{u}:asked", redis.OrderKind, "score 0, <organization>!<slug>: specification that is read because the user asked for it; one " +
				"that is asked for while it is read may be missing",
		},
		{"{u}:events", redis.StreamKind, "what happened to the account and the tokens of a user, about a million entries"},
		{"{u}:idem:<hash>", redis.StringKind, "the answer to an idempotency key, 24 hours"},
		{"{u}:op:<op>", redis.StringKind, "a commit that was made, 10 minutes"},
	}
}

// indexRows returns the keys of indexes, specific patterns first, and of data derived from change requests.
func indexRows() []KeyRow {
	return []KeyRow{
		{
			"{o}:ix:wanted:<space>", redis.OrderKind, "score 0, <urgency><id>: change requests whose summary is to be computed; the " +
				"space itself: all of them",
		},
		{
			"{o}:ix:reviewed:<user>", redis.OrderKind, "score 0, change request that the user has reviewed and that is not finished; " +
				"superset",
		},
		{"{o}:ix:<index>:<owner>", redis.OrderKind, "score 0, id: what belongs to the owner, by age"},
		{
			"{o}:ix:created:<owner>:<status>", redis.OrderKind, "score 0, <ms>-<space>-<number>: change requests of all, a space or a " +
				"person, by creation",
		},
		{
			"{o}:ix:updated:<owner>:<status>", redis.OrderKind, "score 0, <ms>-<space>-<number>: change requests of all or a space, by " +
				"last change",
		},
		{"{o}:ix:<index>:<owner>:<filter>", redis.OrderKind, "the part of it that passes a filter"},
		{
			"{o}:summaries", redis.HashKind, "change request -> its summary for lists, with the revisions that it is of; space -> how " +
				"far the job is; derived",
		},
	}
}

// searchRows returns the keys of search indexes and of the directories of organizations, which have the same form.
func searchRows() []KeyRow {
	return []KeyRow{
		{"{s}:index", redis.StringKind, "what the search index reflects: see postings.State"},
		{
			"{s}:segments", redis.StringKind, "segments of the search index, with the first key of each block and the pages that are " +
				"struck out",
		},
		{
			"{s}:segment:<number>", redis.HashKind, "kind and number of a block -> keys with postings, words, or how pages are shown; p " +
				"-> the pages",
		},
		{"{o}:index", redis.StringKind, "format and mark of the search directory: see postings.State"},
		{"{o}:segments", redis.StringKind, "segments of the search directory"},
		{
			"{o}:segment:<number>", redis.HashKind, "blocks of the search directory, which leads from words to the spaces that may have " +
				"them; superset",
		},
	}
}

// formerSearchRows returns the keys of search indexes of older versions, which are removed when an index is rebuilt.
func formerSearchRows() []KeyRow {
	const holds = "of a search index of a former format"
	return []KeyRow{
		{"{o}:term:<hash>", redis.SetKind, holds},
		{"{o}:words", redis.OrderKind, holds},
		{"{s}:docs", redis.HashKind, holds},
		{"{s}:sections", redis.HashKind, holds},
		{"{s}:term:<hash>", redis.OrderKind, holds},
		{"{s}:words", redis.OrderKind, holds},
	}
}

// tagPatterns returns the patterns of the hash tags that the catalogue abbreviates.
func tagPatterns() *strings.Replacer {
	return strings.NewReplacer(
		"{o}", `\{o_[0-9A-Za-z_-]+\}`, "{s}", `\{(?:s|spec)_[0-9A-Za-z_-]+\}`,
		"{u}", `\{u:[0-9A-Za-z_-]+\}`, "{e}", `\{e:[0-9a-f]{64}\}`, "{h}", `\{h:[0-9a-f]{64}\}`, "{d}", `\{d:[0-9a-f]{64}\}`, "{v}",
		`\{v:[0-9a-f]{64}\}`,
		"{g}", `\{g:0[0-9a-f]\}`, "{i}", `\{i\}`, "{probe}", `\{probe[0-9]*\}`)
}

// CatalogueMatcher returns a function that returns the row of a key without the store's prefix.
func CatalogueMatcher() func(name string) (KeyRow, bool) {
	rows, tags := Catalogue(), tagPatterns()
	placeholder := regexp.MustCompile(`<[a-z]+>`)
	type candidate struct {
		row     KeyRow
		pattern *regexp.Regexp
	}
	alike := map[string][]candidate{}
	for _, row := range rows {
		pattern := placeholder.ReplaceAllString(tags.Replace(row.Pattern), `[0-9A-Za-z_-]+`)
		word := firstWord(row.Pattern)
		alike[word] = append(alike[word], candidate{row, regexp.MustCompile("^" + pattern + "$")})
	}
	return func(name string) (KeyRow, bool) {
		for _, word := range []string{firstWord(name), ""} {
			for _, c := range alike[word] {
				if c.pattern.MatchString(name) {
					return c.row, true
				}
			}
		}
		return KeyRow{}, false
	}
}

// firstWord returns the first word of a key's name after its hash tag; "" if there is none, or if the catalogue has a
// placeholder there.
func firstWord(name string) string {
	_, rest, _ := strings.Cut(name, "}:")
	word, _, _ := strings.Cut(rest, ":")
	if strings.HasPrefix(word, "<") {
		return ""
	}
	return word
}

// Organization returns the shard of all mutable data of an organization.
func Organization(id string) redis.Shard { return redis.NewShard("", id) }

// User returns the shard of a user and the user's tokens.
func User(id string) redis.Shard { return redis.NewShard("u:", id) }

// Integrations returns the shard of the integrations.
func Integrations() redis.Shard { return redis.NewShard("", IntegrationContent) }

// Root is the parent of entries outside collections.
const Root = "root"

// OrganizationKey returns the key of the organization's record.
func OrganizationKey(org string) redis.Key { return Organization(org).Key(redis.RecordKind, "org") }

// MemberKey returns the key of the record of a user's membership.
func MemberKey(org, user string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "mem", user)
}

// TeamKey returns the key of the record of a team.
func TeamKey(org, team string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "team", team)
}

// InviteKey returns the key of the record of an invite by e-mail address.
func InviteKey(org, invite string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "inv", invite)
}

// LinkInviteKey returns the key of the record of an invite link.
func LinkInviteKey(org, invite string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "li", invite)
}

// CollectionKey returns the key of the record of a collection.
func CollectionKey(org, collection string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "col", collection)
}

// SpaceKey returns the key of the record of a space.
func SpaceKey(org, space string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "sp", space)
}

// ChangeRequestKey returns the key of the record of a change request.
func ChangeRequestKey(org, request string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "cr", request)
}

// ReviewKey returns the key of the record of a review.
func ReviewKey(org, review string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "rv", review)
}

// CommentKey returns the key of the record of a comment.
func CommentKey(org, comment string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "cm", comment)
}

// ReplyKey returns the key of the record of a reply.
func ReplyKey(org, reply string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "rp", reply)
}

// OpenAPISpecKey returns the key of the record of an OpenAPI specification, given by its slug.
func OpenAPISpecKey(org, slug string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "oas", slug)
}

// OpenAPIVersionKey returns the key of the record of a version of an OpenAPI specification.
func OpenAPIVersionKey(org, version string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "oasv", version)
}

// TranslationKey returns the key of the record of translation settings.
func TranslationKey(org, translation string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "tr", translation)
}

// SAMLProviderKey returns the key of the record of a SAML provider.
func SAMLProviderKey(org, provider string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "saml", provider)
}

// OIDCProviderKey returns the key of the record of an OIDC provider.
func OIDCProviderKey(org, provider string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "oidc", provider)
}

// SiteKey returns the key of the record of a site.
func SiteKey(org, site string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "site", site)
}

// ShareLinkKey returns the key of the record of a share link.
func ShareLinkKey(org, link string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "link", link)
}

// SeenKey returns the key of the HASH of the times when members were last active.
func SeenKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "seen") }

// FollowedKey returns the key of the HASH of the positions up to which the events of members were copied: see Tx.FollowTokens.
func FollowedKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "followed") }

// RefusedKey returns the key of the HASH with the number of events of refused requests that an organization got on each day.
func RefusedKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "refused") }

// UsedHereKey returns the key of the time of the last use of a token in an organization: see Store.TouchMember.
func UsedHereKey(org, token string) redis.Key {
	return Organization(org).Key(redis.StringKind, "used", token)
}

// MovedKey returns the key of the record of the current organization of a space or collection that was created here.
func MovedKey(org, entry string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "mv", entry)
}

// TransferKey returns the key of the record of a transfer to another organization.
func TransferKey(org, entry string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "out", entry)
}

// ArrivalKey returns the key of the record of a transfer from another organization.
func ArrivalKey(org, entry string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "in", entry)
}

// TransferredKey returns the key of the record of a completed transfer.
func TransferredKey(org, transfer string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "tf", transfer)
}

// TransferredEntryKey returns the key of the record of an entry as it was when it was transferred.
func TransferredEntryKey(org, transfer, entry string) redis.Key {
	return Organization(org).Key(redis.RecordKind, "kept", transfer, entry)
}

// HeadsKey returns the key of the HASH of heads: space or change request -> head.
func HeadsKey(org string) redis.Key { return Organization(org).Key(redis.HashKind, "heads") }

// ChildrenKey returns the key of the order of the children of a collection; Root, or "", is the top level. Its members are made by
// txn.OrderMember.
func ChildrenKey(org, parent string) redis.Key {
	return Organization(org).Key(redis.OrderKind, "kids", cmp.Or(parent, Root))
}

// IndexKey returns the key of an index by identifier, given by the kind of its members, their owner and an optional filter.
func IndexKey(org, index, owner string, filter ...string) redis.Key {
	parts := append([]string{"ix", index, owner}, filter...)
	return Organization(org).Key(redis.OrderKind, parts...)
}

// EventsKey returns the key of the organization's STREAM of events.
func EventsKey(org string) redis.Key { return txn.EventsKey(Organization(org)) }

// UserEventsKey returns the key of the user's STREAM of events.
func UserEventsKey(user string) redis.Key { return txn.EventsKey(User(user)) }

// RefusalsKey returns the key of the HASH of the refused requests with a user's tokens that have no event yet.
func RefusalsKey(user string) redis.Key { return User(user).Key(redis.HashKind, "refusals") }

// UserKey returns the key of a user's record.
func UserKey(user string) redis.Key { return User(user).Key(redis.RecordKind, "user") }

// TokenKey returns the key of the record of a user's token.
func TokenKey(user, token string) redis.Key { return User(user).Key(redis.RecordKind, "tok", token) }

// TokensKey returns the key of the index of a user's tokens.
func TokensKey(user string) redis.Key { return User(user).Key(redis.OrderKind, "toks") }

// UsedKey returns the key of the time of the last use of a token: see Store.Touch.
func UsedKey(user, token string) redis.Key { return User(user).Key(redis.StringKind, "used", token) }

// RateKey returns the key of the number of requests of a user in a time window: see Store.Count.
func RateKey(user, window string) redis.Key { return User(user).Key(redis.StringKind, "rate", window) }

// UserOrganizationsKey returns the key of the superset index of a user's organizations: see
// Tx.AddToSupersetBeforeCommit.
func UserOrganizationsKey(user string) redis.Key { return User(user).Key(redis.OrderKind, "orgs") }

// OwnOrganizationsKey returns the key of the superset index of the organizations created by a user.
func OwnOrganizationsKey(user string) redis.Key { return User(user).Key(redis.OrderKind, "own") }

// UserQuotaKey returns the key of the HASH of limits set for one user.
func UserQuotaKey(user string) redis.Key { return User(user).Key(redis.HashKind, "quota") }

// UserFetchesKey returns the key of the index of the specification fetches that a user has requested and that are in progress, to limit
// them. Its members are made by UserFetchMember.
func UserFetchesKey(user string) redis.Key { return User(user).Key(redis.OrderKind, "asked") }

// EmailKey returns the key of the claim of an e-mail address, which the caller has normalized.
func EmailKey(email string) redis.Key {
	sum := sha256.Sum256([]byte(email))
	return redis.NamedKey(redis.StringKind, "{e:"+hex.EncodeToString(sum[:])+"}")
}

// DomainKey returns the key of the superset index of the organizations that are open to an e-mail domain: see Tx.AddToSupersetBeforeCommit.
func DomainKey(domain string) redis.Key {
	sum := sha256.Sum256([]byte(domain))
	return redis.NamedKey(redis.OrderKind, "{d:"+hex.EncodeToString(sum[:])+"}")
}

// HostnameKey returns the key of the claim of a hostname, which the caller has normalized.
func HostnameKey(hostname string) redis.Key {
	sum := sha256.Sum256([]byte(hostname))
	return redis.NamedKey(redis.StringKind, "{h:"+hex.EncodeToString(sum[:])+"}")
}

// RegistryKey returns the key of the part of the registry that contains the organization.
func RegistryKey(org string) redis.Key { return registryPart(txn.RegistryPart(org)) }

// registryPart returns the key of one part of the registry of organizations.
func registryPart(part int) redis.Key {
	return redis.NamedKey(redis.OrderKind, fmt.Sprintf("{g:%02x}:orgs", part))
}

// usageRows returns the keys of usage and quotas.
func usageRows() []KeyRow {
	return []KeyRow{
		{"{o}:use", redis.HashKind, "what is stored: bytes, records, space -> bytes of its content, and more: see usage.go; derived"},
		{"{o}:answers", redis.HashKind, "hour since 1970 -> bytes of the answers to idempotency keys that were saved in it; derived"},
		{"{o}:quota", redis.HashKind, "limits of its own: bytes, records, events, event-days; 0 = none"},
		{"{u}:refusals", redis.HashKind, "organization of the tokens, or all -> requests that were refused, JSON"},
		{"{u}:own", redis.OrderKind, "score 0, organization that the user made; superset"},
		{"{u}:quota", redis.HashKind, "limits of the user's own: tokens, organizations; 0 = none"},
		{"{i}:size", redis.HashKind, "as {s}:size"},
		{
			"{s}:size", redis.HashKind, "first digit of the keys of objects, or all -> bytes of the objects; changed -> when; derived, " +
				"see sizes.go",
		},
	}
}
