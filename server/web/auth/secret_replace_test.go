package auth_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
)

// TestReplacingSecretsUpdatesLinksAndKeys checks that a replacement of both secrets updates links, and preserves encrypted keys
// if the old key is known and removes them otherwise, so that others can be created. Repeating it changes nothing.
func TestReplacingSecretsUpdatesLinksAndKeys(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		site := api.SiteRef{Organization: w.Org, Site: s.Site}
		servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
		key := servertest.Do(w, "admin", api.GetSiteAuth, site).PrivateKey
		secret, text := strings.Repeat("another ", 8), "another key of 32 bytes for test"
		old, err := auth.NewSealer([]byte(servertest.EncryptionKey))
		w.Must(err)
		sealer, err := auth.NewSealer([]byte(text))
		w.Must(err)
		signer := auth.NewSigner([]byte(secret), w.Clock.Now)
		r := auth.Replacement{Store: w.Store, Signer: &signer, Key: true, Old: old, New: sealer}
		before := w.Dump()
		planned, err := r.Run(t.Context(), true)
		w.Must(err)
		servertest.WantUnchanged(w, before, "a rehearsal")
		done, err := r.Run(t.Context(), false)
		w.Must(err)
		if done != planned || done.ShareLinks == 0 || done.InviteLinks == 0 || done.Sealed == 0 || done.Lost != 0 {
			t.Errorf("planned %+v, done %+v", planned, done)
		}
		if again, err := r.Run(t.Context(), false); err != nil || again != (auth.Effect{}) {
			t.Errorf("again: %+v %v", again, err)
		}
		w.Serve(func(o *server.Options) { o.Secret, o.Key = []byte(secret), []byte(text) })
		servertest.Equal(t, "the key of the site", key, servertest.Do(w, "admin", api.GetSiteAuth, site).PrivateKey)

		r = auth.Replacement{Store: w.Store, Key: true, New: old} // the key of the encrypted secrets is not given
		lost, err := r.Run(t.Context(), false)
		if err != nil || lost.Lost != done.Sealed || lost.Sealed != 0 || lost.ShareLinks != 0 {
			t.Errorf("lost: %+v %v", lost, err)
		}
		w.Serve()
		servertest.Refused(w, "admin", api.GetSiteAuth, site, 404, api.ReasonNotFound)
		servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
	})
}
