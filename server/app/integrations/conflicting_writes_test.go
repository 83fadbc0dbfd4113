package integrations_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// deselect removes a space from the selection of an installation.
func deselect(w *servertest.World, ref api.InstallationRef, space string) {
	w.T.Helper()
	servertest.Do(w, "creator", api.DeleteInstallationSpace, spaceRef(ref, space))
}

// TestSelectionDoesNotOutliveInstallation checks that if a space is selected after the deletion of an installation has read the
// selection, its record is deleted, too, even if the space replaces another one.
func TestSelectionDoesNotOutliveInstallation(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *servertest.World, ref api.InstallationRef, first, second string){
		"space added": func(w *servertest.World, ref api.InstallationRef, _, second string) {
			installOnSpace(w, "creator", ref, second)
		},
		"space replaced": func(w *servertest.World, ref api.InstallationRef, first, second string) {
			deselect(w, ref, first)
			installOnSpace(w, "creator", ref, second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := servertest.NewInterference(t)
			w := i.World
			ref := installLinter(w)
			first, second := w.NewSpace().ID, w.NewSpace().ID
			selectSpaces(w, ref, api.SelectSelected)
			installOnSpace(w, "creator", ref, first)
			response := i.BeforeRead("zcard", store.InstalledOnKey(ref.Installation, store.InstalledSpaces), func() {
				change(w, ref, first, second)
			}, func() servertest.Response {
				return servertest.Try(w, "creator", api.DeleteIntegrationInstallation, ref)
			})
			servertest.Equal(t, "deleted", true, servertest.Succeeded(response))
			servertest.Equal(t, "keys of the installation", []string(nil), servertest.KeysWithID(w, ref.Installation))
		})
	}
}

// TestDeleteInstallationWithLostSelectionRecord checks that an installation is deleted with its selection if the record of a
// selected space is lost.
func TestDeleteInstallationWithLostSelectionRecord(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	ref := installLinter(w)
	space := w.NewSpace().ID
	selectSpaces(w, ref, api.SelectSelected)
	installOnSpace(w, "creator", ref, space)
	w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(store.InstalledKey(ref.Installation, space))).Err())
	response := servertest.Try(w, "creator", api.DeleteIntegrationInstallation, ref)
	servertest.Equal(t, "deleted", true, servertest.Succeeded(response))
	servertest.Equal(t, "keys of the installation", []string(nil), servertest.KeysWithID(w, ref.Installation))
}

// TestConfigurationDoesNotReselectSpace checks that a space for which an installation is deselected between the check and the
// commit of its configuration is not selected again.
func TestConfigurationDoesNotReselectSpace(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	ref := installLinter(w)
	space := w.NewSpace().ID
	selectSpaces(w, ref, api.SelectSelected)
	installOnSpace(w, "creator", ref, space)
	in := api.UpdateInstallationSpaceInput{InstallationSpaceRef: spaceRef(ref, space)}
	in.Body.ExternalIDs = api.Some([]string{"T-1"})
	response := i.Before(func() { deselect(w, ref, space) }, func() servertest.Response {
		return servertest.Try(w, "creator", api.UpdateInstallationSpace, in)
	})
	servertest.Equal(t, "status", http.StatusNotFound, response.Status)
	servertest.Equal(t, "selected", []string(nil), listedSpaces(w, "creator", ref))
}

// updateIntegrations runs fn in a transaction of the integrations.
func updateIntegrations(w *servertest.World, fn func(tx *store.Tx) error) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), store.Integrations(), txn.UpdateOptions{}, fn))
}

// selectDeleted selects a space that does not exist any more.
func selectDeleted(tx *store.Tx, ref api.InstallationRef, space string) error {
	d, err := tx.Installed(ref.Installation, space)
	if err != nil {
		return err
	}
	d.Private = store.InstalledPrivate{Installation: ref.Installation, Content: space}
	_, err = tx.PutInstalled(d)
	return err
}

// TestSelectionDoesNotExceedLimit checks that selecting a space when the selection is full replaces one deleted space. If
// another node has deselected that space in the meantime, the selection still does not exceed its limit.
func TestSelectionDoesNotExceedLimit(t *testing.T) {
	t.Parallel()
	i := servertest.NewInterference(t)
	w := i.World
	ref := installLinter(w)
	space := w.NewSpace().ID
	selectSpaces(w, ref, api.SelectSelected)
	deleted := func(n int) string { return fmt.Sprintf("%s%04d", txn.SpacePrefix, n) }
	updateIntegrations(w, func(tx *store.Tx) (err error) {
		for n := range api.MaxSelected {
			err = errors.Join(err, selectDeleted(tx, ref, deleted(n)))
		}
		return err
	})
	index := store.InstalledOnKey(ref.Installation, store.InstalledSpaces)
	response := i.BeforeRead("zcard", index, func() {
		updateIntegrations(w, func(tx *store.Tx) error {
			if _, err := tx.Installed(ref.Installation, deleted(0)); err != nil {
				return err
			}
			tx.DeleteInstalled(ref.Installation, deleted(0))
			return selectDeleted(tx, ref, deleted(api.MaxSelected))
		})
	}, func() servertest.Response {
		return servertest.Try(w, "creator", api.CreateInstallationSpace, api.CreateInstallationSpaceInput{
			InstallationRef: ref, Body: api.InstallationSpaceCreate{Space: space},
		})
	})
	servertest.Equal(t, "accepted", true, servertest.Succeeded(response))
	b := w.Store.NewBatch()
	size := b.Cardinality(index)
	w.Must(b.Do(t.Context()))
	servertest.Equal(t, "selected", api.MaxSelected, int(size.Value()))
	servertest.Equal(t, "listed", []string{space}, listedSpaces(w, "creator", ref))
}
