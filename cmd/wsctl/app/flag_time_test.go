package app

import (
	"testing"
	"time"
	_ "time/tzdata" // the test needs no files of the system
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	saoPaulo, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 28, 12, 30, 0, 0, berlin) // clocks are put forward on 2026-03-29 at 2:00
	for _, test := range []struct {
		text string
		now  time.Time
		want string // "" if it is refused
	}{
		{"2h", now, "2026-03-28T13:30:00Z"},
		{"1d", now, "2026-03-29T10:30:00Z"},
		{"24h", now, "2026-03-29T11:30:00Z"},
		{"90d", now, "2026-06-26T10:30:00Z"},
		{"2w", now, "2026-04-11T10:30:00Z"},
		{"1d12h30m5s", now, "2026-03-29T23:00:05Z"},
		{"2026-11-01", now, "2026-10-31T23:00:00Z"},
		{"2027-01-01", now.UTC(), "2027-01-01T00:00:00Z"},
		{"2026-11-01 14:00", now, "2026-11-01T13:00:00Z"},
		{"2026-11-01T14:00", now, "2026-11-01T13:00:00Z"},
		{"2026-11-01 14:00:30", now, "2026-11-01T13:00:30Z"},
		{"2026-11-01T14:00:30", now, "2026-11-01T13:00:30Z"},
		{"2026-11-01T14:00:00Z", now, "2026-11-01T14:00:00Z"},
		{"2026-11-01T14:00:00+05:00", now, "2026-11-01T09:00:00Z"},
		{"2018-11-04", now.In(saoPaulo), "2018-11-04T03:00:00Z"}, // this day began at 1:00
		{"2026-03-29 02:30", now, ""},
		{"2026-02-30", now, ""},
		{"never", now, ""},
		{"tomorrow", now, ""},
		{"", now, ""},
		{"90", now, ""},
		{"-1d", now, ""},
		{"1.5h", now, ""},
		{"1M", now, ""},
		{"99999999999999999999d", now, ""},
		{"999999999d", now, ""},
		{"366000w366000w", now, ""},
	} {
		got, err := ParseTime(test.text, test.now)
		switch {
		case err != nil && test.want != "":
			t.Errorf("%q: %v", test.text, err)
		case err == nil && got.UTC().Format(time.RFC3339) != test.want:
			t.Errorf("%q is %s, want %q", test.text, got.UTC().Format(time.RFC3339), test.want)
		}
	}
}

func TestParseSeconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"3600": 3600, "0": 0, "2h": 7200, "1d": 86400, "1h30m": 5400, "soon": -1, "400000d": -1} {
		if got, err := ParseSeconds(text); err != nil && want >= 0 || err == nil && got != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
}
