package store_test

import (
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestRootTokensReturnsOldestFirst checks that unbounded tokens are returned oldest first and counted beyond the limit.
func TestRootTokensReturnsOldestFirst(t *testing.T) {
	t.Parallel()
	s := storetest.Memory().Open(t)
	put := func(user, token string, private store.TokenPrivate) {
		err := s.Update(t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
			d, err := tx.Token(user, token)
			if err != nil {
				return err
			}
			d.Fields = api.TokenFields{Object: "token", ID: token, Name: "of " + user, CreatedAt: api.At(tx.Now())}
			d.Private = private
			_, err = tx.PutToken(user, d)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put("u_a", "t_2", store.TokenPrivate{Scopes: []api.Scope{api.ScopeRead}})
	put("u_b", "t_1", store.TokenPrivate{Scopes: []api.Scope{api.ScopeAdmin}})
	put("u_a", "t_3", store.TokenPrivate{ExpiresAt: api.At(time.Now().Add(time.Hour))})
	put("u_a", "t_4", store.TokenPrivate{Parent: "t_2", Root: "t_2"})
	for limit, want := range map[int]int{1: 1, 5: 2} {
		roots, counts, err := s.RootTokens(t.Context(), limit, 0)
		if err != nil || counts != (store.RootTokenCounts{All: 2, Admin: 1}) || len(roots) != want {
			t.Errorf("at most %d: %v, %+v in all, %v", limit, roots, counts, err)
		}
		for _, root := range roots {
			if owner := map[string]string{"t_1": "u_b", "t_2": "u_a"}[root.ID]; root.User != owner || root.Name != "of "+owner ||
				root.MadeAt.IsZero() {
				t.Errorf("found %s", fmt.Sprint(root))
			}
		}
	}
	if _, counts, err := s.RootTokens(t.Context(), 1, time.Hour); err != nil || counts.All != 0 {
		t.Errorf("with a maximum age: %+v, %v", counts, err)
	}
}
