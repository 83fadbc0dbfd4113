package auth_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// noLoss is the end of the text about an encryption key whose replacement loses no secret.
const noLoss = " 0 cannot be opened and are lost."

const worldSecret = "a secret that is used in tests alone" // of servertest

// secretsOf returns settings with the secrets of a world as the old ones.
func secretsOf(secret, key string) auth.SecretSettings {
	return auth.SecretSettings{
		Secret: secret, OldSecret: worldSecret, EncryptionKey: key, External: true,
		OldEncryptionKey: hex.EncodeToString([]byte(servertest.EncryptionKey)),
	}
}

// recordSecrets records the fingerprints of a world's secrets as those of the data.
func recordSecrets(w *servertest.World) {
	w.T.Helper()
	w.Must(w.Store.ReplaceFingerprints(w.T.Context(), []redis.Secret{
		{Name: auth.SecretVariable, Value: []byte(worldSecret)},
		{Name: auth.EncryptionKeyVariable, Value: []byte(servertest.EncryptionKey)},
	}, false))
}

// mustPlan returns the plan of a change.
func mustPlan(w *servertest.World, settings auth.SecretSettings, options auth.SecretOptions) *auth.SecretChange {
	w.T.Helper()
	change, err := auth.PlanSecretChange(w.T.Context(), w.Store, settings, options)
	w.Must(err)
	return &change
}

// consequences returns the consequences of a change.
func consequences(w *servertest.World, change *auth.SecretChange) []string {
	w.T.Helper()
	texts, err := change.Consequences(w.T.Context())
	w.Must(err)
	return texts
}

// TestSecretChange checks that both secrets are replaced with those of the settings, that the old ones remain accepted until
// the change is finished, that planning changes nothing, and that in the end nothing is left to do.
func TestSecretChange(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		site := api.SiteRef{Organization: w.Org, Site: s.Site}
		key := servertest.Do(w, "admin", api.RegenerateSiteAuth, site).PrivateKey
		recordSecrets(w)
		settings := secretsOf(strings.Repeat("another ", 8), strings.Repeat("ab", 32))
		before := w.Dump()
		change := mustPlan(w, settings, auth.SecretOptions{})
		texts := consequences(w, change)
		servertest.WantUnchanged(w, before, "a plan")
		if change.IsEmpty() || len(texts) != 2 || !strings.Contains(texts[0], "The old ones work until") ||
			!strings.HasSuffix(texts[1], noLoss) {
			t.Errorf("empty %t, %q", change.IsEmpty(), texts)
		}
		w.Must(change.Apply(t.Context()))
		again := mustPlan(w, settings, auth.SecretOptions{})
		if !again.IsEmpty() || again.Report().OldLinks == 0 || again.Report().OldKey != 0 {
			t.Errorf("again: empty %t, %+v", again.IsEmpty(), again.Report())
		}
		w.Serve(func(o *server.Options) {
			o.Secret, o.Key = []byte(settings.Secret), slices.Repeat([]byte{0xab}, 32)
		})
		servertest.MarkTried(w, s.OIDCProvider)
		servertest.Equal(t, "an OIDC provider that gets the secret that it has", api.OIDCActive, servertest.Do(w, "admin",
			api.UpdateOIDCProvider, api.UpdateOIDCProviderInput{
				OIDCProviderRef: api.OIDCProviderRef{Organization: w.Org, OIDCProvider: s.OIDCProvider},
				Body:            api.OIDCProviderPatch{OIDCProviderSettings: servertest.OIDCSettings()},
			}).Status)
		servertest.Equal(t, "the key of the site", key, servertest.Do(w, "admin", api.GetSiteAuth, site).PrivateKey)

		finish := mustPlan(w, settings, auth.SecretOptions{Finish: true})
		if texts := consequences(w, finish); len(texts) != 1 || !strings.Contains(texts[0], "stop working") {
			t.Errorf("finish: %q", texts)
		}
		w.Must(finish.Apply(t.Context()))
		if again := mustPlan(w, settings, auth.SecretOptions{Finish: true}); !again.IsEmpty() || again.Report().OldLinks != 0 {
			t.Errorf("finished: empty %t, %+v", again.IsEmpty(), again.Report())
		}
	})
}

// TestSecretChangeWithoutOldKey checks that sealed values are removed, and listed before, if the old key is not given.
func TestSecretChangeWithoutOldKey(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		site := api.SiteRef{Organization: w.Org, Site: s.Site}
		servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
		recordSecrets(w)
		settings := auth.SecretSettings{EncryptionKey: strings.Repeat("cd", 32), External: true}
		servertest.MarkTried(w, s.OIDCProvider)
		change := mustPlan(w, settings, auth.SecretOptions{})
		if texts := consequences(w, change); len(texts) != 1 || !strings.Contains(texts[0], " 0 keys of sites") ||
			strings.HasSuffix(texts[0], noLoss) {
			t.Errorf("without the old key: %q", texts)
		}
		if obstacles, err := change.Obstacles(t.Context()); err != nil || len(obstacles) != 1 ||
			!strings.Contains(obstacles[0], "would be removed") {
			t.Errorf("without the old key: %q %v", obstacles, err)
		}
		w.Must(change.Apply(t.Context()))
		w.Serve(func(o *server.Options) { o.Key = slices.Repeat([]byte{0xcd}, 32) })
		servertest.Refused(w, "admin", api.GetSiteAuth, site, 404, api.ReasonNotFound)
		provider := api.OIDCProviderRef{Organization: w.Org, OIDCProvider: s.OIDCProvider}
		lost := servertest.Do(w, "admin", api.GetOIDCProvider, provider)
		servertest.Equal(t, "whether the OIDC provider has a secret", false, lost.HasClientSecret)
		servertest.Equal(t, "status of the OIDC provider", api.OIDCPending, lost.Status)
		servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
	})
}

// TestSecretChangeNamesNodesThatLackSecrets checks that a replacement is refused while a serving node lacks one of the two
// secrets, and its end while a node lacks the new one.
func TestSecretChangeNamesNodesThatLackSecrets(t *testing.T) {
	t.Parallel()
	secret := func(value, old string) redis.Secret {
		return redis.Secret{Name: auth.SecretVariable, Value: []byte(value), Old: []byte(old)}
	}
	first, second := strings.Repeat("first ", 8), strings.Repeat("second ", 8)
	for name, c := range map[string]struct {
		held    redis.Secret
		options auth.SecretOptions
		want    string
	}{
		"both":        {held: secret(second, first)},
		"the old one": {held: secret(first, ""), want: "does not have the new WSD_SECRET:"},
		"the old one, leaked": {
			held: secret(first, ""), options: auth.SecretOptions{Leaked: true}, want: "does not have the new WSD_SECRET:",
		},
		"the new one":            {held: secret(second, ""), want: "does not have the old WSD_SECRET:"},
		"both, for a leaked one": {held: secret(second, first), options: auth.SecretOptions{Leaked: true}},
	} {
		w := servertest.NewWorld(t, storetest.Memory(), func(config *store.Config) {
			config.Secrets, config.NodeLabel = []redis.Secret{c.held}, "host 1"
		})
		w.Must(w.Store.ReplaceFingerprints(t.Context(), []redis.Secret{secret(first, "")}, false))
		w.Must(w.Store.EndOldFingerprints(t.Context(), auth.SecretVariable))
		w.Must(w.Store.Join(t.Context()))
		change := mustPlan(w, auth.SecretSettings{Secret: second, OldSecret: first, External: true}, c.options)
		obstacles, err := change.Obstacles(t.Context())
		w.Must(err)
		if c.want == "" && len(obstacles) > 0 || c.want != "" && (len(obstacles) != 1 || !strings.Contains(obstacles[0], c.want) ||
			!strings.HasPrefix(obstacles[0], "node host-1 ")) {
			t.Errorf("a node with %s: %q", name, obstacles)
		}
		w.Must(w.Store.Leave(t.Context()))
		if obstacles, err := change.Obstacles(t.Context()); err != nil || len(obstacles) > 0 {
			t.Errorf("without nodes: %q %v", obstacles, err)
		}
	}
}

// TestLeakedSecretOpensNoLink checks that the old addresses of links end with the replacement of a leaked secret, and that
// their makers are listed.
func TestLeakedSecretOpensNoLink(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		site := servertest.PublishedSite(w, api.SiteShareLink, space)
		link := servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: site, Body: api.ShareLinkCreate{Name: "Tea"},
		})
		recordSecrets(w)
		visit := func() int {
			return w.Send("", "GET", "/v1/spaces/"+space+"?"+servertest.ShareKeyOf(t, link), nil).Status
		}
		settings := secretsOf(strings.Repeat("another ", 8), hex.EncodeToString([]byte(servertest.EncryptionKey)))
		change := mustPlan(w, settings, auth.SecretOptions{Leaked: true})
		texts := strings.Join(consequences(w, change), "\n")
		if !strings.Contains(texts, "1 share links") || !strings.Contains(texts, "1 of them by "+w.Users["admin"].ID) {
			t.Errorf("consequences: %s", texts)
		}
		if status := visit(); status != 200 {
			t.Fatalf("before: %d", status)
		}
		w.Must(change.Apply(t.Context()))
		w.Serve(func(o *server.Options) { o.Secret, o.OldSecret = []byte(settings.Secret), []byte(worldSecret) })
		if status := visit(); status == 200 {
			t.Error("the old address of a link works")
		}
		again := mustPlan(w, settings, auth.SecretOptions{Finish: true})
		if !again.IsEmpty() || again.Report().OldLinks != 0 {
			t.Errorf("something is left to finish: %+v", again.Report())
		}
		made := servertest.Do(w, "admin", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Items[0]
		if status := w.Send("", "GET", "/v1/spaces/"+space+"?"+servertest.ShareKeyOf(t, made), nil).Status; status != 200 {
			t.Errorf("the new address: %d", status)
		}
	})
}

// TestInspectSecretsFindsWronglySealedValues checks that a value that was sealed with a key that nobody has, and a link that its
// own address does not open, are found.
func TestInspectSecretsFindsWronglySealedValues(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		servertest.Do(w, "admin", api.RegenerateSiteAuth, api.SiteRef{Organization: w.Org, Site: s.Site})
		recordSecrets(w)
		settings := auth.SecretSettings{
			Secret: worldSecret, EncryptionKey: hex.EncodeToString([]byte(servertest.EncryptionKey)), External: true,
		}
		report, err := auth.InspectSecrets(t.Context(), w.Store, settings)
		w.Must(err)
		if report.Sealed < 2 || report.Links < 2 || report.OldKey+report.OldLinks+report.Unopened+len(report.Findings) > 0 {
			t.Fatalf("before: %+v", report)
		}
		other, err := auth.NewSealer(nil, []byte("another key of 32 bytes for test"), nil)
		w.Must(err)
		wrong, err := other.Encrypt(t.Context(), "hunter2", auth.VisitorKeyPurpose(s.Site)...)
		w.Must(err)
		storetest.Update(t, w.Store, w.Org, func(tx *store.Tx) error {
			d, err := tx.Site(w.Org, s.Site)
			if err != nil {
				return err
			}
			d.Private.Auth.Key = wrong
			_, err = tx.PutSite(w.Org, d)
			return err
		})
		report, err = auth.InspectSecrets(t.Context(), w.Store, settings)
		w.Must(err)
		const problem = " auth.key: key of a site for its visitors cannot be opened"
		if len(report.Problems) != 1 || !strings.Contains(report.Problems[0], s.Site+problem) {
			t.Errorf("a wrongly sealed value: %q", report.Problems)
		}
		settings.Secret = strings.Repeat("another ", 8)
		if report, err = auth.InspectSecrets(t.Context(), w.Store, settings); err != nil || len(report.Findings) != 2 {
			t.Errorf("another secret than that of the data: %q %v", report.Problems, err)
		}
		servertest.Equal(t, "wrong", []string{auth.SecretVariable}, report.Wrong)
	})
}

func TestSecretChangeRejectsInvalidSettings(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := strings.Repeat("ab", 32)
		recordSecrets(w)
		long := strings.Repeat("another ", 8)
		for want, settings := range map[string]auth.SecretSettings{
			"WSD_SECRET has 5 characters, at least 32 are needed":                      {Secret: "short"},
			"environment: WSD_ENCRYPTION_KEY: must be 32 bytes":                        {EncryptionKey: "short"},
			"environment: WSD_OLD_ENCRYPTION_KEY: must be 32 bytes":                    {OldEncryptionKey: "short"},
			"WSD_OLD_ENCRYPTION_KEY: it is not the one that the data was written with": {EncryptionKey: key, OldEncryptionKey: key},
			"WSD_OLD_SECRET: it is not the one that the data was written with":         {Secret: long, OldSecret: long},
		} {
			settings.External = true
			_, err := auth.PlanSecretChange(t.Context(), w.Store, settings, auth.SecretOptions{})
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		given := auth.SecretSettings{Secret: long, External: true}
		_, err := auth.PlanSecretChange(t.Context(), w.Store, given, auth.SecretOptions{Finish: true})
		if err == nil || err.Error() != "--finish: WSD_SECRET is not the one of the data" {
			t.Errorf("finish before the replacement: %v", err)
		}
		w.Must(mustPlan(w, secretsOf(long, key), auth.SecretOptions{}).Apply(t.Context()))
		given.Secret = "third " + long
		_, err = auth.PlanSecretChange(t.Context(), w.Store, given, auth.SecretOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), "WSD_SECRET: its last replacement is not finished") {
			t.Errorf("a second replacement: %v", err)
		}
	})
}
