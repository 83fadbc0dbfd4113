package orgs_test

import (
	"errors"
	"strings"
	"testing"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestFirstOrganizationReportsDamage checks that FirstOrganization reports an organization whose record is damaged as existing,
// with an ErrCorrupt.
func TestFirstOrganizationReportsDamage(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.SkipFsck = true // records are damaged
	accounts, first := orgs.Accounts{Store: w.Store}, min(w.Org, w.OtherOrg)
	name := w.Store.Name(store.OrganizationKey(first))
	title, found, err := accounts.FirstOrganization(t.Context())
	if w.Must(err); !found || title == "" {
		t.Errorf("title %q, found %t", title, found)
	}
	for _, stored := range []string{"x", "1 1 {}\n{", "1 1 {\n{\"title\":\"Acme\"}"} {
		w.Must(w.Store.Client.Set(t.Context(), name, stored, 0).Err())
		title, found, err := accounts.FirstOrganization(t.Context())
		if !errors.Is(err, redis.ErrCorrupt) || !strings.Contains(err.Error(), first) || !found || title != "" {
			t.Errorf("%q: title %q, found %t, %v", stored, title, found, err)
		}
	}
	w.Must(w.Store.Client.Del(t.Context(), name).Err())
	if title, found, err := accounts.FirstOrganization(t.Context()); err != nil || !found || title == "" {
		t.Errorf("the registry names a missing organization: title %q, found %t, %v", title, found, err)
	}
}
