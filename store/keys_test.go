package store

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// TestKeysAreInCatalogue checks that the catalogue has a row of the right kind for every key, and that every row without a
// fixed name is the row of a key.
func TestKeysAreInCatalogue(t *testing.T) {
	t.Parallel()
	ids := txn.NewIDGenerator(func() time.Time { return time.UnixMilli(txn.IDEpoch + 1) })
	org, user, id := ids.New("o_"), ids.New("u_"), ids.New("x_")
	space := ids.New(txn.HomePrefix(txn.SpacePrefix, org))
	keys := []redis.Key{
		RequestsByCreationKey(org, AllRequests, "open"),
		RequestsByUpdateKey(org, space, "open"),
		redis.SchemaKey(), redis.NodesKey(), redis.SecretsKey(), redis.ClocksKey(), redis.UpgradeKey(),
		OrganizationKey(org),
		MemberKey(org, user),
		TeamKey(org, id),
		InviteKey(org, id),
		LinkInviteKey(org, id),
		CollectionKey(org, id),
		SpaceKey(org, space),
		ChangeRequestKey(org, space+"-1"),
		ReviewKey(org, id),
		CommentKey(org, id),
		ReplyKey(org, id),
		ReadingKey(org, space+"-1", user), SavedQueriesKey(org, user), SubmissionKey(org, space+"-1", user, id),
		TranslationKey(org, id),
		OpenAPISpecKey(org, "pets"),
		OpenAPIVersionKey(org, id),
		SAMLProviderKey(org, id), OIDCProviderKey(org, id), IdentityKey(org, id),
		ImportRunKey(org, id),
		ImportRunsKey(org, "active"),
		SiteKey(org, id),
		ShareLinkKey(org, id),
		DomainKey("example.com"),
		HostnameKey("docs.example.com"),
		DeviceKey("BCDFGHJK"), DeviceAnswerKey("BCDFGHJK"), DevicePollKey("BCDFGHJK"), DeviceGuessesKey(user, "1"),
		AssertionKey("idp_1", "urn:id", "_1"), SignInKey("x"), IdentifiedKey("x"), ConfirmationKey("ident_1"),
		SeenKey(org), FollowedKey(org), RefusedKey(org), UsedHereKey(org, id), InvitedKey(org),
		EmailDomainsKey(org),
		HeadsKey(org),
		txn.CountsKey(org),
		ChildrenKey(org, Root),
		IndexKey(org, "cm", space),
		IndexKey(org, "cm", space, "open"),
		txn.DueKey(org),
		CopyKey(org, id),
		MovedKey(org, id), TransferKey(org, id), ArrivalKey(org, id), TransferredKey(org, id), TransferredEntryKey(org, id,
			space), txn.LeasesKey(org),
		txn.DueRegistryKey(org),
		OrganizationPermitsKey(org), UserPermitsKey(user), UserFetchesKey(user),
		EventsKey(org),
		txn.LogKey(org),
		txn.EntriesKey(org),
		txn.GCEpochsKey(org),
		txn.IdempotencyKey(Organization(org), "abc"),
		txn.OpKey(Organization(org), id+"-1"),
		txn.UsageKey(org), txn.AnswersKey(Organization(org)), txn.QuotaKey(org),
		UserKey(user),
		TokenKey(user, id),
		TokensKey(user), FamilyKey(user, "t_1"),
		UsedKey(user, id), RefusalsKey(user),
		RateKey(user, "1"),
		UserOrganizationsKey(user),
		UserQuotaKey(user), OwnOrganizationsKey(user),
		txn.EventsKey(User(user)),
		txn.IdempotencyKey(User(user), "abc"),
		txn.OpKey(User(user), "x"),
		IntegrationKey("a.b"),
		InstallationKey(id),
		InstalledKey(id, id),
		InstalledOnKey(id, InstalledSites),
		IntegrationsKey(), UnpublishedIntegrationsKey(),
		InstallationsKey("a.b"),
		InstallationsKey("a.b", org),
		txn.ObjectKey(IntegrationContent, 1), txn.SizeKey(IntegrationContent),
		txn.EventsKey(Integrations()),
		txn.IdempotencyKey(Integrations(), "abc"),
		txn.OpKey(Integrations(), "x"),
		EmailKey("a@example.org"),
		RegistryKey(org),
		registryPart(15),
		txn.ObjectKey(space, 0xff), txn.SizeKey(space),
		postings.StaleKey(org),
		txn.OutboxKey(org),
		ReviewsKey(org, space+"-1"),
		PendingSummariesKey(org, space), ReviewedKey(org, user), SummariesKey(org),
		redis.NamedKey(redis.StreamKind, "{probe}:x"),
	}
	keys = append(keys, postings.AllKeys(org, space, 7)...)
	find, seen := CatalogueMatcher(), map[string]bool{}
	for _, key := range keys {
		row, known := find(key.Name())
		if !known || row.Kind != key.Kind() {
			t.Errorf("%s: row %q, kind %d, want %d", key, row.Pattern, row.Kind, key.Kind())
		}
		seen[row.Pattern] = true
	}
	for _, row := range Catalogue() {
		if !seen[row.Pattern] {
			t.Errorf("no key for row %s", row.Pattern)
		}
	}
}

func TestInvalidKeysAreRejected(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "a:b", "{a}", "a b", "a\n", "ä", strings.Repeat("a", 129)} {
		for _, key := range []redis.Key{
			SpaceKey("o_1", part), SpaceKey(part, "s_1"), IndexKey("o_1", "cm", part), TokenKey(part, "x"), txn.ObjectKey(part, 1),
		} {
			if key.Valid() {
				t.Errorf("%q makes key %s", part, key)
			}
		}
	}
}
