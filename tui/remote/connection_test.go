package remote

import (
	"testing"
	"time"
)

// TestAgeCountsDates checks that times of the same date have the same age, whatever the hour, and that hours are counted within
// a day.
func TestAgeCountsDates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 14, 51, 0, 0, time.FixedZone("", 3600))
	c := &Connection{Now: func() time.Time { return now }}
	for at, want := range map[string]string{
		"2026-11-25T14:50:30+01:00": "now", "2026-11-25T14:21:00+01:00": "30m", "2026-11-24T16:00:00+01:00": "22h",
		"2026-11-24T14:00:00+01:00": "1d",
		"2026-11-22T00:10:00+01:00": "3d", "2026-11-22T15:50:00+01:00": "3d", "2026-11-22T23:50:00+01:00": "3d",
		"2026-11-22T23:10:00Z": "2d",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if got := c.Age(when); err != nil || got != want {
			t.Errorf("%s is %s old, want %s, %v", at, got, want, err)
		}
	}
}
