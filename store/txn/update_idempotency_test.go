package txn_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func TestIdempotentUpdateReplaysAnswer(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		runs := 0
		request := func(key, body string, save bool) error {
			options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: key, Fingerprint: "print", Save: save}}
			return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				runs++
				tx.SetField(store.HeadsKey("o_1"), key, strconv.Itoa(runs))
				tx.Answer(txn.Answer{Status: 201, ID: "s_1", Header: map[string]string{"Location": "/x"}, Body: []byte(body)})
				return nil
			})
		}
		cases := map[string]struct {
			body  string
			save  bool
			saved bool
		}{
			"body":        {"{\"a\":1}\nand more\x00", true, true},
			"no-body":     {"", true, true},
			"secret":      {"secret", false, false},
			"at-limit":    {strings.Repeat("x", 8<<10), true, true},
			"above-limit": {strings.Repeat("x", 8<<10+1), true, false},
		}
		for key, c := range cases {
			if err := request(key, c.body, c.save); err != nil {
				t.Fatal(err)
			}
			before := runs
			var replay *txn.ReplayError
			if err := request(key, "another", true); !errors.As(err, &replay) {
				t.Fatalf("%s: %v", key, err)
			}
			want := txn.Answer{Status: 201, ID: "s_1", Header: map[string]string{"Location": "/x"}, Body: []byte(c.body)}
			if !c.saved {
				want.Body = []byte{}
			}
			if diff := cmp.Diff(&txn.ReplayError{Fingerprint: "print", Answer: want, Saved: c.saved}, replay); diff != "" {
				t.Errorf("%s: %s", key, diff)
			}
			if runs != before {
				t.Errorf("%s: the closure ran again", key)
			}
		}
	})
}

// TestConcurrentIdempotentUpdatesTakeEffectOnce sends two requests with one key that both read no answer. The second to commit
// replays the answer of the first.
func TestConcurrentIdempotentUpdatesTakeEffectOnce(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: "k", Save: true}}
		commit := func(value string, first func()) error {
			return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				first()
				tx.SetField(store.HeadsKey("o_1"), "s_1", value)
				tx.Answer(txn.Answer{Status: 200, Body: []byte(value)})
				return nil
			})
		}
		err := commit("late", func() {
			if err := commit("early", func() {}); err != nil {
				t.Error(err)
			}
		})
		var replay *txn.ReplayError
		if !errors.As(err, &replay) || string(replay.Answer.Body) != "early" {
			t.Errorf("got %v", err)
		}
	})
}

func TestIdempotencyDoesNotSaveErrors(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: "k", Save: true}}
		cause := errors.New("refused")
		for range 2 {
			err := s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				tx.Answer(txn.Answer{Status: 422})
				return cause
			})
			storetest.WantError(t, err, cause)
		}
	})
}
