package auth_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/redis"
)

// noLoss is the end of the text about an encryption key whose replacement loses no secret.
const noLoss = " 0 cannot be opened and are lost."

// TestSecretChange checks that both secrets are replaced with those of the settings, that planning changes nothing, and that
// after the change nothing is left to replace.
func TestSecretChange(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		servertest.Do(w, "admin", api.RegenerateSiteAuth, api.SiteRef{Organization: w.Org, Site: s.Site})
		w.Must(w.Store.SetFingerprint(t.Context(), redis.Secret{Name: auth.EncryptionKeyVariable, Value: []byte(servertest.EncryptionKey)}))
		settings := auth.SecretSettings{
			Secret: strings.Repeat("another ", 8), EncryptionKey: strings.Repeat("ab", 32), External: true,
			OldEncryptionKey: hex.EncodeToString([]byte(servertest.EncryptionKey)),
		}
		before := w.Dump()
		change, err := auth.PlanSecretChange(t.Context(), w.Store, settings)
		w.Must(err)
		texts, err := change.Consequences(t.Context())
		w.Must(err)
		servertest.WantUnchanged(w, before, "a plan")
		if change.IsEmpty() || len(texts) != 2 || !strings.HasPrefix(texts[0], auth.SecretVariable+": ") ||
			!strings.HasSuffix(texts[1], noLoss) {
			t.Errorf("empty %t, %q", change.IsEmpty(), texts)
		}
		w.Must(change.Apply(t.Context()))
		settings.OldEncryptionKey = ""
		if again, err := auth.PlanSecretChange(t.Context(), w.Store, settings); err != nil || !again.IsEmpty() {
			t.Errorf("again: empty %t, %v", again.IsEmpty(), err)
		}

		settings.EncryptionKey = strings.Repeat("cd", 32) // the key of the data is not given
		change, err = auth.PlanSecretChange(t.Context(), w.Store, settings)
		w.Must(err)
		texts, err = change.Consequences(t.Context())
		if err != nil || len(texts) != 1 || !strings.Contains(texts[0], " 0 keys of sites ") || strings.HasSuffix(texts[0], noLoss) {
			t.Errorf("without the old key: %q %v", texts, err)
		}
	})
}

// TestSecretChangeReplacesConcurrentWrites checks that a share link remains valid if a node with the old secret creates it
// before any write of the change.
func TestSecretChangeReplacesConcurrentWrites(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	space := w.NewSpace().ID
	site := servertest.PublishedSite(w, api.SiteShareLink, space)
	create := func(name string) string {
		return servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
			SiteRef: site, Body: api.ShareLinkCreate{Name: name},
		}).ID
	}
	create("Before")
	for n, more := int64(1), true; more; n++ {
		if n > 100 {
			t.Fatal("the change does not end")
		}
		secret := strings.Repeat(fmt.Sprintf("secret %d ", n), 8)
		change, err := auth.PlanSecretChange(t.Context(), w.Store, auth.SecretSettings{Secret: secret, External: true})
		w.Must(err)
		made := ""
		_, more = i.BeforeWrite(n, func() { made = create("During") }, func() (none servertest.Response) {
			w.Must(change.Apply(t.Context()))
			return none
		})
		w.Serve(func(o *server.Options) { o.Secret = []byte(secret) })
		for _, link := range servertest.Do(w, "admin", api.ListShareLinks, api.ListShareLinksInput{SiteRef: site}).Items {
			path := "/v1/spaces/" + space + "?" + servertest.ShareKeyOf(t, link)
			if a := w.Send("", http.MethodGet, path, nil); a.Status != http.StatusOK {
				t.Errorf("write %d, link %s: %d %s", n, link.Name, a.Status, a.Body)
			}
		}
		if more {
			servertest.Do(w, "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: site, ShareLink: made})
		}
	}
}

func TestSecretChangeRejectsInvalidSettings(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := strings.Repeat("ab", 32)
		w.Must(w.Store.SetFingerprint(t.Context(), redis.Secret{Name: auth.EncryptionKeyVariable, Value: []byte(servertest.EncryptionKey)}))
		for want, settings := range map[string]auth.SecretSettings{
			"WSD_SECRET has 5 characters, at least 32 are needed":                      {Secret: "short"},
			"environment: WSD_ENCRYPTION_KEY must be 32 bytes":                         {EncryptionKey: "short"},
			"WSD_OLD_ENCRYPTION_KEY: WSD_ENCRYPTION_KEY must be 32 bytes":              {OldEncryptionKey: "short"},
			"WSD_OLD_ENCRYPTION_KEY: it is not the key that the data was written with": {OldEncryptionKey: key},
		} {
			settings.External = true
			if _, err := auth.PlanSecretChange(t.Context(), w.Store, settings); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}
