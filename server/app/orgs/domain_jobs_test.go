package orgs_test

import (
	"testing"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestDomainSettersOmitsUserOfDamagedRecord checks that nothing of a damaged e-mail domain that waits for its check is
// used.
func TestDomainSettersOmitsUserOfDamagedRecord(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.SkipFsck = true // a domain is damaged
	name := w.Store.Name(store.EmailDomainsKey(w.Org))
	w.Must(w.Store.Client.HSet(t.Context(), name, "damaged.example", `{"by":"u_1","slow":7}`, "good.example", `{"by":"u_1"}`).Err())
	ed := orgs.EmailDomains{Store: w.Store}
	got, err := ed.DomainSetters(t.Context(), w.Org, []string{"damaged.example", "good.example"})
	w.Must(err)
	servertest.Equal(t, "users", []store.Requester{{Arg: "damaged.example"}, {Arg: "good.example", By: "u_1"}}, got)
}
