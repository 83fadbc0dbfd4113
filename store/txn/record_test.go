package txn_test

import (
	"bytes"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func FuzzRecord(f *testing.F) {
	f.Add([]byte("1 1 {}\n{\"a\":1}"))
	f.Add([]byte("1 1 \n"))
	f.Add([]byte("01 1 {}\n{}"))
	f.Add([]byte("-1 1 {}\n{}"))
	f.Add([]byte("1 1 {}\n{}\n"))
	f.Add([]byte("9223372036854775808 1 {}\n{}"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		decoded, err := txn.DecodeRecord(data)
		if err != nil {
			storetest.WantError(t, err, redis.ErrCorrupt)
			return
		}
		again, err := txn.EncodeRecord(decoded)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%q decodes and encodes to %q, %v", data, again, err)
		}
	})
}

func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []txn.Record{
		{Version: 1, Private: []byte{}, Public: []byte{}},
		{Version: 9223372036854775807, Schema: 12, Private: []byte(`{"a":"b c"}`), Public: []byte(`{"x":"\n"}`)},
	} {
		data, err := txn.EncodeRecord(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := txn.DecodeRecord(data)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	}
	for _, bad := range []txn.Record{
		{}, {Version: -1}, {Version: 1, Schema: -1}, {Version: 1, Private: []byte("\n")}, {Version: 1, Public: []byte("\n")},
	} {
		_, err := txn.EncodeRecord(bad)
		storetest.WantError(t, err, redis.ErrMisuse)
	}
}

func TestIDsIncrease(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ids := storetest.SeededIDs(func() time.Time { return now }, 7)
	form := regexp.MustCompile(`^s_[0-9a-hjkmnp-tv-z]{14}$`)
	var generated []string
	for i := range 2000 {
		switch i {
		case 1000:
			now = now.Add(time.Hour)
		case 1500:
			now = now.Add(-2 * time.Hour) // the clock moves backwards
		}
		id := ids.New("s_")
		if !form.MatchString(id) || !redis.ValidID(id) {
			t.Fatalf("identifier %q", id)
		}
		generated = append(generated, id)
	}
	if !slices.IsSorted(generated) || len(slices.Compact(slices.Clone(generated))) != len(generated) {
		t.Error("identifiers do not rise")
	}
	again := storetest.SeededIDs(func() time.Time { return now }, 7)
	other := storetest.SeededIDs(func() time.Time { return now }, 8)
	third := storetest.SeededIDs(func() time.Time { return now }, 7)
	if a, b, c := again.New(""), other.New(""), third.New(""); a == b || a != c {
		t.Errorf("seeds 7, 8, 7 make %q, %q, %q", a, b, c)
	}
}

func TestHomeOrganization(t *testing.T) {
	t.Parallel()
	ids := txn.NewIDGenerator(time.Now)
	org := ids.New(txn.OrganizationPrefix)
	for _, kind := range []string{txn.SpacePrefix, txn.CollectionPrefix} {
		id := ids.New(txn.HomePrefix(kind, org))
		if got, ok := txn.HomeOrganization(id); !ok || got != org {
			t.Errorf("home of %q is %q, %v; want %q", id, got, ok, org)
		}
	}
	for _, id := range []string{
		"", "s_", org, ids.New("s_"), ids.New("u_"), ids.New(txn.HomePrefix("s_", org)) + "0", "s_" + string(bytes.Repeat([]byte{'u'}, 28)),
	} {
		if got, ok := txn.HomeOrganization(id); ok {
			t.Errorf("home of %q is %q", id, got)
		}
	}
}
