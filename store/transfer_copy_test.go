package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// The marks of a space differ after its records are written, also if no record is added or removed: a space that was
// written since its transfer is not taken back.
func TestMarksDifferAfterWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		write func(tx *store.Tx, e storetest.Fixture) error
		want  []string // kinds that differ
	}{
		"nothing is written": {func(*store.Tx, storetest.Fixture) error { return nil }, nil},
		"comment is changed": {func(tx *store.Tx, e storetest.Fixture) error {
			comment, err := tx.Comment(e.Org, e.Comment)
			if err != nil {
				return err
			}
			comment.Fields.Status = api.CommentResolved
			_, err = tx.PutComment(e.Org, comment, api.CommentOpen)
			return err
		}, []string{"cm"}},
		"comment is removed": {func(tx *store.Tx, e storetest.Fixture) error {
			comment, err := tx.Comment(e.Org, e.Comment)
			if err == nil {
				tx.DeleteComment(e.Org, comment)
			}
			return err
		}, []string{"cm"}},
		"only the space is changed": {func(tx *store.Tx, e storetest.Fixture) error {
			space, err := tx.Space(e.Org, e.Space)
			if err != nil {
				return err
			}
			space.Fields.Title = "Renamed"
			_, err = tx.PutSpace(space)
			return err
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				e := storetest.NewFixture(t, s)
				before := readMarks(t, s, e)
				storetest.Update(t, s, e.Org, func(tx *store.Tx) error { return c.write(tx, e) })
				if diff := cmp.Diff(c.want, before.Differ(readMarks(t, s, e))); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// readMarks returns the marks of the space of a fixture.
func readMarks(t *testing.T, s *store.Store, e storetest.Fixture) store.Marks {
	t.Helper()
	marks := store.Marks{}
	keys := []redis.Key{store.SpaceKey(e.Org, e.Space), store.CommentKey(e.Org, e.Comment)}
	err := store.CopyRecords(t.Context(), s, e.Org, keys, func(chunk []store.CopyResult) error {
		for _, c := range chunk {
			c.Mark(marks)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return marks
}
