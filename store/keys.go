package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Row is one line of the catalogue of keys.
type Row struct {
	Pattern string // the key without the store's prefix; <x> is an identifier
	Kind    Kind
	Holds   string // what the members, fields or bytes are
}

// Catalogue lists every key that this program may write. Keys of one hash tag
// share a slot: {o} is an organization's identifier, {u:..} a user, {s} a space
// (content) or an OpenAPI specification, {e:..} an e-mail address, {h:..} a hostname, {g:..} one of 16 parts
// of a registry.
//
// Truth is changed only by Store.Update. Superset indexes are added to before
// the commit that they point at, verified when read, and removed from late.
func Catalogue() []Row {
	return append(useRows(), []Row{
		{"schema", StringKind, "form of the whole database, a number; newer than the program refuses to open"},
		{"{o}:org", RecordKind, "the organization"},
		{"{o}:mem:<user>", RecordKind, "a membership"},
		{"{o}:team:<team>", RecordKind, "a team"},
		{"{o}:inv:<invite>", RecordKind, "an invite by e-mail address"},
		{"{o}:li:<invite>", RecordKind, "an invite link"},
		{"{o}:col:<collection>", RecordKind, "a collection"},
		{"{o}:sp:<space>", RecordKind, "a space"},
		{"{o}:cr:<request>", RecordKind, "a change request"},
		{"{o}:rv:<review>", RecordKind, "a review"},
		{"{o}:cm:<comment>", RecordKind, "a comment"},
		{"{o}:rp:<reply>", RecordKind, "a reply"},
		{"{o}:tr:<translation>", RecordKind, "translation settings"},
		{"{o}:oas:<slug>", RecordKind, "an OpenAPI specification"},
		{"{o}:oasv:<version>", RecordKind, "a version of an OpenAPI specification"},
		{"{o}:saml:<provider>", RecordKind, "a SAML provider"},
		{"{o}:site:<site>", RecordKind, "a site with its sections, section groups and site spaces"},
		{"{o}:link:<link>", RecordKind, "a share link of a site"},
		{"{o}:seen", HashKind, "member -> when last seen, Unix ms"},
		{"{o}:mv:<node>", RecordKind, "where a space or collection that was made here is now"},
		{"{o}:out:<node>", RecordKind, "a transfer to another organization that is under way"},
		{"{o}:in:<node>", RecordKind, "a transfer from another organization that is under way"},
		{"{o}:tf:<transfer>", RecordKind, "a transfer that was made, to another organization or from one"},
		{"{o}:kept:<transfer>:<node>", RecordKind, "what went with a transfer, as it was then"},
		{"{o}:heads", HashKind, "space or change request -> its head: revision, then what moves with it, separated by spaces"},
		{"{o}:counts", HashKind, "id -> cardinalities of its indexes, separated by spaces; written by the commit from ZCARD and SCARD"},
		{"{o}:kids:<parent>", OrderKind, "score 0, <order key>!<id>: children of a collection or of `root`, in order"},
		{"{o}:ix:<index>:<owner>", OrderKind, "score 0, id: what belongs to the owner, by age"},
		{"{o}:ix:created:<owner>:<status>", OrderKind, "score 0, <ms>-<space>-<number>: change requests of all, a space or a person, by creation"},
		{"{o}:ix:updated:<owner>:<status>", OrderKind, "score 0, <ms>-<space>-<number>: change requests of all or a space, by last change"},
		{"{o}:ix:<index>:<owner>:<filter>", OrderKind, "the part of it that passes a filter"},
		{"{o}:due", OrderKind, "score = due time (Unix ms), job; see jobs.go"},
		{"{o}:leases", HashKind, "job -> lease: how often it was begun, and by whom"},
		{"{o}:events", StreamKind, "what happened, about a million entries"},
		{"{o}:shape", StreamKind, "changes of {o}:shapes, 1,000 entries: id, entry (empty = gone), op"},
		{"{o}:shapes", HashKind, "id -> shape entry, JSON"},
		{"{o}:epochs", HashKind, "space -> sweep epoch; odd while its objects are being swept"},
		{"{o}:term:<hash>", SetKind, "spaces with a page that has the term; superset"},
		{"{o}:words", OrderKind, "score 0, <word> NUL <term> of every space; superset"},
		{"{o}:stale", SetKind, "spaces whose head moved after their search index; superset"},
		{"{o}:outbox", HashKind, "<space>/<hash> -> since when (Unix ms), immutable object that replicas may lack; bytes -> of all of them"},
		{"{o}:idem:<hash>", StringKind, "the answer to an idempotency key, 24 hours"},
		{"{o}:op:<op>", StringKind, "a commit that was made, 10 minutes"},
		{"{u}:user", RecordKind, "a user"},
		{"{u}:tok:<token>", RecordKind, "a token"},
		{"{u}:toks", OrderKind, "score 0, token"},
		{"{u}:made:<token>", OrderKind, "score 0, token that comes of this one, which no other made"},
		{"{u}:used:<token>", StringKind, "last use, Unix ms"},
		{"{u}:rate:<window>", StringKind, "requests in a window of a minute, 2 minutes"},
		{"{u}:orgs", OrderKind, "score 0, organization; superset of the memberships"},
		{"{u}:events", StreamKind, "what the user changed of their own account, about a million entries"},
		{"{u}:idem:<hash>", StringKind, "the answer to an idempotency key, 24 hours"},
		{"{u}:op:<op>", StringKind, "a commit that was made, 10 minutes"},

		{"{i}:int:<integration>", RecordKind, "an integration, by the hash of its name"},
		{"{i}:inst:<installation>", RecordKind, "an installation of an integration in an organization"},
		{"{i}:ix:<index>:<owner>", OrderKind, "score 0, what belongs to the owner, by name or age: <name or id>!<organization>"},
		{"{i}:ix:<index>:<owner>:<filter>", OrderKind, "the part of it that passes a filter"},
		{"{i}:o:<byte>", HashKind, "hash -> immutable object, by the first byte of the hash: images, scripts and versions"},
		{"{i}:events", StreamKind, "what happened to integrations, about a million entries"},
		{"{i}:idem:<hash>", StringKind, "the answer to an idempotency key, 24 hours"},
		{"{i}:op:<op>", StringKind, "a commit that was made, 10 minutes"},

		{"{e}", StringKind, "user that claims the e-mail address of this SHA-256; valid if the user points back"},
		{"{h}", StringKind, "`<organization>-<site>`, or organization, that claims the hostname of this SHA-256; valid if it points back"},
		{"{d}", OrderKind, "score 0, organization that is open to the e-mail domain of this SHA-256; superset"},
		{"{g}:orgs", OrderKind, "score 0, organization; superset"},
		{"{g}:due", OrderKind, "score = when to look at its jobs (Unix ms), organization; superset"},
		{"{s}:o:<byte>", HashKind, "hash -> immutable object, by the first byte of the hash"},
		{"{s}:index", StringKind, "what the search index reflects: see SearchState"},
		{"{s}:docs", HashKind, "page -> what the search index has of it: fingerprint, terms"},
		{"{s}:sections", HashKind, "page -> where its sections are, JSON"},
		{"{s}:term:<hash>", OrderKind, "score = weight and sections (see search.Posting), page"},
		{"{s}:words", OrderKind, "score 0, <word> NUL <term>; superset"},
		{"{probe}:<op>", StreamKind, "written and deleted by the start-up check"},
	}...)
}

// tagPatterns are the forms of the hash tags that the catalogue abbreviates.
func tagPatterns() *strings.Replacer {
	return strings.NewReplacer(
		"{o}", `\{o_[0-9A-Za-z_-]+\}`, "{s}", `\{(?:s|spec)_[0-9A-Za-z_-]+\}`,
		"{u}", `\{u:[0-9A-Za-z_-]+\}`, "{e}", `\{e:[0-9a-f]{64}\}`, "{h}", `\{h:[0-9a-f]{64}\}`, "{d}", `\{d:[0-9a-f]{64}\}`,
		"{g}", `\{g:0[0-9a-f]\}`, "{i}", `\{i\}`, "{probe}", `\{probe\}`)
}

// catalogueMatcher returns a function that finds the row of a key, given
// without the store's prefix.
func catalogueMatcher() func(name string) (Row, bool) {
	rows, tags := Catalogue(), tagPatterns()
	placeholder := regexp.MustCompile(`<[a-z]+>`)
	type candidate struct {
		row     Row
		pattern *regexp.Regexp
	}
	alike := map[string][]candidate{}
	for _, row := range rows {
		pattern := placeholder.ReplaceAllString(tags.Replace(row.Pattern), `[0-9A-Za-z_-]+`)
		word := firstWord(row.Pattern)
		alike[word] = append(alike[word], candidate{row, regexp.MustCompile("^" + pattern + "$")})
	}
	return func(name string) (Row, bool) {
		for _, word := range []string{firstWord(name), ""} {
			for _, c := range alike[word] {
				if c.pattern.MatchString(name) {
					return c.row, true
				}
			}
		}
		return Row{}, false
	}
}

// firstWord is the first word of a key's name after its hash tag; "" if there is
// nothing but the tag, or the catalogue has a placeholder there.
func firstWord(name string) string {
	_, rest, _ := strings.Cut(name, "}:")
	word, _, _ := strings.Cut(rest, ":")
	if strings.HasPrefix(word, "<") {
		return ""
	}
	return word
}

// Organization is the shard of everything mutable in an organization.
func Organization(id string) Shard { return shard("", id) }

// User is the shard of a user and the user's tokens.
func User(id string) Shard { return shard("u:", id) }

// Integrations is the shard of the integrations.
func Integrations() Shard { return shard("", IntegrationContent) }

// Root is the parent of what is not inside a collection.
const Root = "root"

// OrganizationKey is the organization's record.
func OrganizationKey(org string) Key { return Organization(org).key(RecordKind, "org") }

// MemberKey is the record of a user's membership.
func MemberKey(org, user string) Key { return Organization(org).key(RecordKind, "mem", user) }

// TeamKey is the record of a team.
func TeamKey(org, team string) Key { return Organization(org).key(RecordKind, "team", team) }

// InviteKey is the record of an invite by e-mail address.
func InviteKey(org, invite string) Key { return Organization(org).key(RecordKind, "inv", invite) }

// LinkInviteKey is the record of an invite link.
func LinkInviteKey(org, invite string) Key { return Organization(org).key(RecordKind, "li", invite) }

// CollectionKey is the record of a collection.
func CollectionKey(org, collection string) Key {
	return Organization(org).key(RecordKind, "col", collection)
}

// SpaceKey is the record of a space.
func SpaceKey(org, space string) Key { return Organization(org).key(RecordKind, "sp", space) }

// ChangeRequestKey is the record of a change request.
func ChangeRequestKey(org, request string) Key {
	return Organization(org).key(RecordKind, "cr", request)
}

// ReviewKey is the record of a review.
func ReviewKey(org, review string) Key { return Organization(org).key(RecordKind, "rv", review) }

// CommentKey is the record of a comment.
func CommentKey(org, comment string) Key { return Organization(org).key(RecordKind, "cm", comment) }

// ReplyKey is the record of a reply.
func ReplyKey(org, reply string) Key { return Organization(org).key(RecordKind, "rp", reply) }

// OpenAPISpecKey is the record of an OpenAPI specification, given by its slug.
func OpenAPISpecKey(org, slug string) Key { return Organization(org).key(RecordKind, "oas", slug) }

// OpenAPIVersionKey is the record of a version of an OpenAPI specification.
func OpenAPIVersionKey(org, version string) Key {
	return Organization(org).key(RecordKind, "oasv", version)
}

// TranslationKey is the record of translation settings.
func TranslationKey(org, translation string) Key {
	return Organization(org).key(RecordKind, "tr", translation)
}

// SAMLProviderKey is the record of a SAML provider.
func SAMLProviderKey(org, provider string) Key {
	return Organization(org).key(RecordKind, "saml", provider)
}

// SiteKey is the record of a site.
func SiteKey(org, site string) Key { return Organization(org).key(RecordKind, "site", site) }

// ShareLinkKey is the record of a share link.
func ShareLinkKey(org, link string) Key { return Organization(org).key(RecordKind, "link", link) }

// SeenKey is the HASH of when members were last seen.
func SeenKey(org string) Key { return Organization(org).key(HashKind, "seen") }

// MovedKey is the record that says where a space or collection is that was made here.
func MovedKey(org, node string) Key { return Organization(org).key(RecordKind, "mv", node) }

// TransferKey is the record of a transfer to another organization.
func TransferKey(org, node string) Key { return Organization(org).key(RecordKind, "out", node) }

// ArrivalKey is the record of a transfer from another organization.
func ArrivalKey(org, node string) Key { return Organization(org).key(RecordKind, "in", node) }

// TransferredKey is the record of a transfer that was made.
func TransferredKey(org, transfer string) Key {
	return Organization(org).key(RecordKind, "tf", transfer)
}

// KeptKey is the record of what went with a transfer.
func KeptKey(org, transfer, node string) Key {
	return Organization(org).key(RecordKind, "kept", transfer, node)
}

// HeadsKey is the HASH of heads: space or change request -> head.
func HeadsKey(org string) Key { return Organization(org).key(HashKind, "heads") }

// CountsKey is the HASH that Tx.Counts writes: id -> cardinalities.
func CountsKey(org string) Key { return Organization(org).key(HashKind, "counts") }

// TermKey is the SET of the spaces that may hold a term of the search, given by its hash: a superset.
func TermKey(org, term string) Key { return Organization(org).key(SetKind, "term", term) }

// KidsKey is the order of the children of a collection, or of Root. Its
// members are made by Member.
func KidsKey(org, parent string) Key { return Organization(org).key(OrderKind, "kids", parent) }

// IndexKey is an index by identifier: the kind of things, whose they are and
// optionally a filter that they pass.
func IndexKey(org, index, owner string, filter ...string) Key {
	parts := append([]string{"ix", index, owner}, filter...)
	return Organization(org).key(OrderKind, parts...)
}

// DueKey is the organization's jobs by due time.
func DueKey(org string) Key { return Organization(org).key(OrderKind, "due") }

// LeasesKey is the HASH of the leases of jobs.
func LeasesKey(org string) Key { return Organization(org).key(HashKind, "leases") }

// EventsKey is the organization's STREAM of events.
func EventsKey(org string) Key { return eventsKey(Organization(org)) }

// eventsKey is the STREAM of the events of a shard: every change leaves one where it was made.
func eventsKey(s Shard) Key { return s.key(StreamKind, "events") }

// ShapesKey is the HASH of shape entries. It is written by Tx.Shape.
func ShapesKey(org string) Key { return Organization(org).key(HashKind, "shapes") }

// shapeKey is the STREAM of the changes of ShapesKey.
func shapeKey(org string) Key { return Organization(org).key(StreamKind, "shape") }

// EpochsKey is the HASH of sweep epochs by space.
func EpochsKey(org string) Key { return Organization(org).key(HashKind, "epochs") }

// UserKey is a user's record.
func UserKey(user string) Key { return User(user).key(RecordKind, "user") }

// TokenKey is the record of a user's token.
func TokenKey(user, token string) Key { return User(user).key(RecordKind, "tok", token) }

// TokensKey is the index of a user's tokens.
func TokensKey(user string) Key { return User(user).key(OrderKind, "toks") }

// UsedKey is the last use of a token: see Store.Touch.
func UsedKey(user, token string) Key { return User(user).key(StringKind, "used", token) }

// RateKey is how many requests a user has made in a window: see Store.Count.
func RateKey(user, window string) Key { return User(user).key(StringKind, "rate", window) }

// UserOrganizationsKey is the superset index of a user's organizations: see
// Tx.AddElsewhere.
func UserOrganizationsKey(user string) Key { return User(user).key(OrderKind, "orgs") }

// OwnOrganizationsKey is the superset index of the organizations that a user made.
func OwnOrganizationsKey(user string) Key { return User(user).key(OrderKind, "own") }

// UserQuotaKey is the HASH of a user's own limits.
func UserQuotaKey(user string) Key { return User(user).key(HashKind, "quota") }

// EmailKey is the claim of an e-mail address, which the caller has normalized.
func EmailKey(email string) Key {
	sum := sha256.Sum256([]byte(email))
	return named(StringKind, "{e:"+hex.EncodeToString(sum[:])+"}")
}

// DomainKey is the superset index of the organizations that are open to an e-mail domain: see Tx.AddElsewhere.
func DomainKey(domain string) Key {
	sum := sha256.Sum256([]byte(domain))
	return named(OrderKind, "{d:"+hex.EncodeToString(sum[:])+"}")
}

// HostnameKey is the claim of a hostname, which the caller has normalized.
func HostnameKey(hostname string) Key {
	sum := sha256.Sum256([]byte(hostname))
	return named(StringKind, "{h:"+hex.EncodeToString(sum[:])+"}")
}

// registryParts is the number of keys of the registry of organizations.
const registryParts = 16

// registryKey is the part of the registry that has the organization.
func registryKey(org string) Key { return registryPart(partOf(org)) }

// dueRegistryKey is the part of the registry of jobs that has the organization.
func dueRegistryKey(org string) Key { return dueRegistryPart(partOf(org)) }

func partOf(org string) int {
	sum := sha256.Sum256([]byte(org))
	return int(sum[0]) % registryParts
}

// registryPart is one part of the registry of organizations.
func registryPart(part int) Key {
	return named(OrderKind, fmt.Sprintf("{g:%02x}:orgs", part))
}

// dueRegistryPart is one part of the registry of organizations with jobs.
func dueRegistryPart(part int) Key {
	return named(OrderKind, fmt.Sprintf("{g:%02x}:due", part))
}

// objectKey is the HASH of a space's objects whose hash begins with a byte.
func objectKey(space string, first byte) Key {
	return shard("", space).key(HashKind, "o", hex.EncodeToString([]byte{first}))
}

// OutboxKey is the HASH of the objects that commits carry: see outbox.go.
func OutboxKey(org string) Key { return Organization(org).key(HashKind, "outbox") }

// StaleKey is the SET of the spaces whose search index is behind their head.
func StaleKey(org string) Key { return Organization(org).key(SetKind, "stale") }

// searchKeys are the keys of the search index of a space: the organization's
// part of it helps to find the spaces to ask. Their names are all known: those
// of the terms stand in the documents (see Store.DropSearch).
type searchKeys struct{ organization, space Shard }

func searchOf(org, space string) searchKeys {
	return searchKeys{Organization(org), shard("", space)}
}

func (k searchKeys) state() Key     { return k.space.key(StringKind, "index") }
func (k searchKeys) documents() Key { return k.space.key(HashKind, "docs") }
func (k searchKeys) sections() Key  { return k.space.key(HashKind, "sections") }
func (k searchKeys) words() Key     { return k.space.key(OrderKind, "words") }

func (k searchKeys) term(hash string) Key { return k.space.key(OrderKind, "term", hash) }

func (k searchKeys) allWords() Key { return k.organization.key(OrderKind, "words") }

func (k searchKeys) spaces(hash string) Key { return k.organization.key(SetKind, "term", hash) }

// opKey remembers a commit.
func opKey(s Shard, op string) Key { return s.key(StringKind, "op", op) }

// idempotencyKey holds the answer to an idempotency key.
func idempotencyKey(s Shard, hash string) Key { return s.key(StringKind, "idem", hash) }
