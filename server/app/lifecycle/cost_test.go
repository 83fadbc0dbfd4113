package lifecycle_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestCopiesAndTransfersCostInProportion checks that Redis runs no more commands for each object of a space with ten times
// the pages to duplicate, to transfer, and to copy back, including the commands of scripts.
func TestCopiesAndTransfersCostInProportion(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	w := servertest.NewWorld(t, storetest.Server("own", server.URL()))
	target := servertest.NewOrganization(w, "Target")
	small, large := costsOf(w, target, 60), costsOf(w, target, 600)
	for name, commands := range small {
		if commands == 0 || large[name] > 1.1*commands {
			t.Errorf("%s: %.2f commands for each object of 60 pages, %.2f for those of 600", name, commands, large[name])
		}
	}
}

// costsOf returns the numbers of commands that Redis runs for each object to duplicate, transfer and copy back a space with n
// pages.
func costsOf(w *servertest.World, target string, n int) map[string]float64 {
	w.T.Helper()
	space := w.NewSpace().ID
	ref := w.NewRequest("admin", space)
	for made := 0; made < n; {
		var changes []api.ContentChange
		for range min(50, n-made) {
			made++
			changes = append(changes, servertest.NewPage(fmt.Sprintf("Page %d", made), fmt.Sprintf("Text %d.\n\nMore.\n", made)))
		}
		w.Change(ref, changes...)
	}
	w.MustMerge(ref)
	costs, objects := map[string]float64{}, countObjects(w, space)
	count := func(name string, request func()) {
		before := countCommands(w)
		request()
		costs[name] = float64(countCommands(w)-before) / float64(objects)
	}
	count("duplicate", func() { servertest.Do(w, "admin", api.DuplicateSpace, api.SpaceRef{Space: space}) })
	count("transfer", func() {
		servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: space, Body: api.Transfer{Organization: target}})
	})
	var record api.TransferRef
	for _, made := range servertest.ListTransfers(w, w.Org) {
		if made.Content() == space {
			record = api.TransferRef{Organization: w.Org, Transfer: made.ID}
		}
	}
	count("copy", func() { servertest.Do(w, "admin", api.CopyTransfer, record) })
	return costs
}

// countObjects returns the number of stored objects of a space.
func countObjects(w *servertest.World, space string) (total int64) {
	w.T.Helper()
	for first := range 256 {
		stored, err := w.Store.Client.HLen(w.T.Context(), w.Store.Name(txn.ObjectKey(space, byte(first)))).Result()
		w.Must(err)
		total += stored
	}
	return total
}

var commandCalls = regexp.MustCompile(`cmdstat_[^:]+:calls=(\d+)`)

// countCommands returns the number of commands that the Redis of the world has run.
func countCommands(w *servertest.World) (total int) {
	w.T.Helper()
	info, err := w.Store.Client.Info(w.T.Context(), "commandstats").Result()
	w.Must(err)
	for _, match := range commandCalls.FindAllStringSubmatch(info, -1) {
		calls, _ := strconv.Atoi(match[1])
		total += calls
	}
	return total
}
