package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// TestWalksFindEverythingOnce checks that the walks over users and tokens find each of them once, over several pages, report
// damaged records, and end with the error of the visitor.
func TestWalksFindEverythingOnce(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		const users = 700 // more than a page
		var want []string
		for i := range users {
			user := fmt.Sprintf("u_%04d", i)
			want = append(want, user)
			err := s.Update(t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
				u, err := tx.User(user)
				if err != nil {
					return err
				}
				u.Fields = api.UserFields{Object: "user", ID: user, DisplayName: "User"}
				if _, err := tx.PutUser(u); err != nil {
					return err
				}
				token, err := tx.Token(user, "t_"+user[2:])
				if err == nil {
					token.Fields = api.TokenFields{Object: "token", ID: "t_" + user[2:]}
					_, err = tx.PutToken(user, token)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Client.Set(t.Context(), s.Name(store.UserKey("u_0005")), "damaged", 0).Err(); err != nil {
			t.Fatal(err)
		}
		var found, owners, damaged []string
		if err := s.WalkUsers(t.Context(), func(page []store.WalkedUser) error {
			for _, u := range page {
				if found = append(found, u.ID); u.Err != nil {
					damaged = append(damaged, u.ID)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := s.WalkTokens(t.Context(), "", func(page []store.WalkedToken) error {
			for _, token := range page {
				if owners = append(owners, token.User); token.ID != "t_"+token.User[2:] || token.Fields.ID != token.ID {
					t.Errorf("%s has the token %s", token.User, token.ID)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(found)
		slices.Sort(owners)
		if !slices.Equal(want, found) || !slices.Equal(want, owners) || !slices.Equal(damaged, []string{"u_0005"}) {
			t.Errorf("%d users, %d tokens, damaged %v", len(found), len(owners), damaged)
		}
		mine, err := s.TokenOwners(t.Context(), "t_0007")
		if err != nil || !slices.Equal(mine, []string{"u_0007"}) {
			t.Errorf("owners %v, %v", mine, err)
		}
		if err := s.WalkUsers(t.Context(), func([]store.WalkedUser) error { return redis.ErrRefused }); !errors.Is(err, redis.ErrRefused) {
			t.Errorf("the error of the visitor is %v", err)
		}
	})
}
