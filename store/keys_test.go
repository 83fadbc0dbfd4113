package store

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKeysAreInTheCatalogue makes every key and finds its row, with its kind;
// every row but those of fixed names has to be found.
func TestKeysAreInTheCatalogue(t *testing.T) {
	t.Parallel()
	ids := SeededIDs(func() time.Time { return time.UnixMilli(epoch + 1) }, 1)
	org, user, id := ids.New("o_"), ids.New("u_"), ids.New("x_")
	space := ids.New(HomePrefix(SpacePrefix, org))
	keys := []Key{
		RequestsByCreationKey(org, AllRequests, "open"),
		RequestsByUpdateKey(org, space, "open"),
		schemaKey(),
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
		TranslationKey(org, id),
		OpenAPISpecKey(org, "pets"),
		OpenAPIVersionKey(org, id),
		SAMLProviderKey(org, id),
		SiteKey(org, id),
		ShareLinkKey(org, id),
		DomainKey("example.com"),
		HostnameKey("docs.example.com"),
		SeenKey(org),
		HeadsKey(org),
		CountsKey(org),
		TermKey(org, id),
		KidsKey(org, Root),
		IndexKey(org, "cm", space),
		IndexKey(org, "cm", space, "open"),
		DueKey(org),
		MovedKey(org, id), TransferKey(org, id), ArrivalKey(org, id), TransferredKey(org, id), KeptKey(org, id, space), LeasesKey(org),
		dueRegistryKey(org),
		EventsKey(org),
		shapeKey(org),
		ShapesKey(org),
		EpochsKey(org),
		Organization(org).idempotencyKey("abc"),
		Organization(org).opKey(id + "-1"),
		UseKey(org), Organization(org).keptKey(), QuotaKey(org),
		UserKey(user),
		TokenKey(user, id),
		TokensKey(user), FamilyKey(user, "t_1"),
		UsedKey(user, id),
		RateKey(user, "1"),
		UserOrganizationsKey(user),
		UserQuotaKey(user), OwnOrganizationsKey(user),
		User(user).eventsKey(),
		User(user).idempotencyKey("abc"),
		User(user).opKey("x"),
		IntegrationKey("a.b"),
		InstallationKey(id),
		IntegrationsKey(),
		InstallationsKey("a.b"),
		InstallationsKey("a.b", org),
		objectKey(IntegrationContent, 1), sizeKey(IntegrationContent),
		Integrations().eventsKey(),
		Integrations().idempotencyKey("abc"),
		Integrations().opKey("x"),
		EmailKey("a@example.org"),
		registryKey(org),
		registryPart(15),
		objectKey(space, 0xff), sizeKey(space),
		StaleKey(org),
		OutboxKey(org),
		ReviewsKey(org, space+"-1"),
		searchOf(org, space).allWords(),
		searchOf(org, space).spaces(idOfTerm("x").hash()),
		searchOf(org, space).state(),
		searchOf(org, space).documents(),
		searchOf(org, space).sections(),
		searchOf(org, space).words(),
		searchOf(org, space).term(idOfTerm("x").hash()),
		{name: "{probe}:x", kind: StreamKind},
	}
	find, seen := catalogueMatcher(), map[string]bool{}
	for _, key := range keys {
		row, known := find(key.name)
		if !known || row.Kind != key.kind {
			t.Errorf("%s: row %q, kind %d, want %d", key, row.Pattern, row.Kind, key.kind)
		}
		seen[row.Pattern] = true
	}
	for _, row := range Catalogue() {
		if !seen[row.Pattern] {
			t.Errorf("no key for row %s", row.Pattern)
		}
	}
}

func TestForgedKeysHaveNoName(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"", "a:b", "{a}", "a b", "a\n", "ä", strings.Repeat("a", 129)} {
		for _, key := range []Key{SpaceKey("o_1", part), SpaceKey(part, "s_1"), IndexKey("o_1", "cm", part), TokenKey(part, "x"), objectKey(part, 1)} {
			if key.valid() {
				t.Errorf("%q makes key %s", part, key)
			}
		}
	}
}

func TestDoctorVerdicts(t *testing.T) {
	t.Parallel()
	single, cluster := &Store{engine: Engine{Name: engineSingle}}, &Store{engine: Engine{Name: engineCluster}}
	cases := []struct {
		check Check
		want  Verdict
	}{
		{checkVersion(map[string]string{"redis_version": "7.0.15"}), VerdictOK},
		{checkVersion(map[string]string{"redis_version": "10.1.0"}), VerdictOK},
		{checkVersion(map[string]string{"redis_version": "6.2.6"}), VerdictRefuse},
		{checkVersion(nil), VerdictRefuse},
		{single.checkMode(map[string]string{"redis_mode": "standalone"}), VerdictOK},
		{single.checkMode(map[string]string{"redis_mode": "cluster"}), VerdictRefuse},
		{cluster.checkMode(map[string]string{"redis_mode": "standalone"}), VerdictRefuse},
		{checkRole(map[string]string{"role": "slave"}), VerdictRefuse},
		{single.checkEviction(map[string]string{"maxmemory": "0", "maxmemory_policy": "allkeys-lru"}), VerdictWarn},
		{single.checkEviction(map[string]string{"maxmemory": "1", "maxmemory_policy": "volatile-ttl"}), VerdictRefuse},
		{single.checkEviction(map[string]string{"maxmemory": "1", "maxmemory_policy": "noeviction"}), VerdictOK},
		{(&Store{evict: true}).checkEviction(map[string]string{"maxmemory": "1", "maxmemory_policy": "allkeys-lfu"}), VerdictWarn},
		{checkPersistence(map[string]string{"aof_enabled": "0"}), VerdictWarn},
		{checkHealth(map[string]string{"loading": "1"}), VerdictWarn},
		{checkHealth(map[string]string{"aof_last_write_status": "err"}), VerdictWarn},
		{checkHealth(map[string]string{"rdb_last_bgsave_status": "err"}), VerdictWarn},
		{single.checkReplicas(map[string]string{"connected_slaves": "0"}), VerdictOK},
		{single.checkReplicas(map[string]string{"connected_slaves": "1"}), VerdictWarn},
		{single.checkReplicas(map[string]string{"connected_slaves": "1", "min_slaves_good_slaves": "1"}), VerdictOK},
		{cluster.checkReplicas(map[string]string{"connected_slaves": "0"}), VerdictWarn},
		{cluster.checkReplicas(map[string]string{"connected_slaves": "1"}), VerdictWarn},
		{cluster.checkReplicas(map[string]string{"connected_slaves": "1", "min_slaves_good_slaves": "1"}), VerdictOK},
	}
	for i, c := range cases {
		if c.check.Verdict != c.want || (c.want != VerdictOK && c.check.Hint == "") {
			t.Errorf("case %d: %+v, want %s", i, c.check, c.want)
		}
	}
	merged := worst([]Check{{Name: "a", Verdict: VerdictWarn}, {Name: "b", Verdict: VerdictOK}}, []Check{{Name: "a", Verdict: VerdictInfo}, {Name: "b", Verdict: VerdictRefuse}, {Name: "c"}})
	if got := []Verdict{merged[0].Verdict, merged[1].Verdict}; len(merged) != 3 || !slices.Equal(got, []Verdict{VerdictWarn, VerdictRefuse}) {
		t.Errorf("merged %+v", merged)
	}
}
