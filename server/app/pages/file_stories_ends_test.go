package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
)

// checkEnd downloads an address, and checks that it is valid if want is "", or else that it is refused with a message that contains
// want.
func checkEnd(w *servertest.World, after, path, want string) {
	w.T.Helper()
	a := w.Send("", http.MethodGet, path, nil)
	if want == "" {
		servertest.Equal(w.T, "status after "+after, http.StatusOK, a.Status)
		return
	}
	if a.Status != http.StatusNotFound || !strings.Contains(string(a.Body), want) {
		w.T.Errorf("after %s: %d %s", after, a.Status, a.Body)
	}
}

// TestDownloadEndsWithSpace checks that the addresses of a file and of a PDF are refused while their space is in the trash and after it
// was transferred, and that the refusal says why. An address of 0.1.0, which has no reason, is valid until it expires.
func TestDownloadEndsWithSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		_, file := servertest.Upload(w, ref, "a.txt", "text/plain", []byte("x"))
		printed := servertest.Do(w, "admin", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL
		paths := []string{file, strings.TrimPrefix(printed, servertest.PublicURL)}
		signer := auth.NewSigner(nil, []byte(servertest.ServerSecret), nil, w.Clock.Now)
		address, ok, err := signer.Open(t.Context(), strings.TrimPrefix(file, "/raw/"))
		if w.Must(err); !ok || address.Reason != (access.Reason{Organization: w.Org}) {
			t.Fatalf("the address is %+v, valid: %t", address, ok)
		}
		address.Reason = access.Reason{}
		former := "/raw/" + signer.Sign(address, auth.FileRounding)
		check := func(after, want string) {
			t.Helper()
			for _, path := range paths {
				checkEnd(w, after, path, want)
			}
			checkEnd(w, after, former, "")
		}
		check("nothing", "")
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		check("the deletion", "The space was deleted.")
		servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: space})
		check("the restoration", "")
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(space, servertest.NewOrganization(w, "Other")))
		check("the transfer", "The space was transferred to another organization.")
		w.Clock.Advance(time.Hour + auth.FileRounding)
		w.Call("", http.MethodGet, former, nil, http.StatusNotFound)
	})
}

// TestDownloadOfVisitorEndsWithSite checks that an address that was given to a visitor is refused when the site is not published or its
// share link is switched off.
func TestDownloadOfVisitorEndsWithSite(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		_, file := servertest.Upload(w, w.NewRequest("editor", space), "a.txt", "text/plain", []byte("x"))
		site := servertest.PublishedSite(w, api.SiteShareLink, space)
		link := servertest.Do(w, "creator", api.CreateShareLink, api.CreateShareLinkInput{SiteRef: site})
		signer := auth.NewSigner(nil, []byte(servertest.ServerSecret), nil, w.Clock.Now)
		address, _, err := signer.Open(t.Context(), strings.TrimPrefix(file, "/raw/"))
		w.Must(err)
		address.Reason.Site, address.Reason.ShareLink = site.Site, link.ID
		path := "/raw/" + signer.Sign(address, auth.FileRounding)
		setLink := func(active bool) {
			servertest.Do(w, "creator", api.UpdateShareLink, api.UpdateShareLinkInput{
				ShareLinkRef: api.ShareLinkRef{SiteRef: site, ShareLink: link.ID}, Body: api.ShareLinkPatch{Active: api.Some(active)},
			})
		}
		checkEnd(w, "nothing", path, "")
		setLink(false)
		checkEnd(w, "the end of the link", path, "The share link was switched off.")
		setLink(true)
		checkEnd(w, "the return of the link", path, "")
		servertest.Do(w, "creator", api.UnpublishSite, site)
		checkEnd(w, "the end of the site", path, "The site is not published any more.")
		checkEnd(w, "the end of the site", file, "")
	})
}

// TestDownloadTakesTwoTrips checks that the reason of an address is read in the trip that reads the manifest, before the one that reads
// the bytes, and that the reason is also read if both are cached.
func TestDownloadTakesTwoTrips(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		_, path := servertest.Upload(w, w.NewRequest("editor", space), "a.txt", "text/plain", []byte("x"))
		w.Call("admin", http.MethodGet, "/v1/spaces/"+space, nil, http.StatusOK) // loads the model
		w.Store.ForgetContent(space)
		servertest.Equal(t, "trips", 2, servertest.CountTrips(w, "", path))
		servertest.Equal(t, "trips with cached content", 1, servertest.CountTrips(w, "", path))
	})
}
