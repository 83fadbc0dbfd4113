package app

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Never is the text of a time that does not come.
const Never = "never"

// Layouts of times without a zone.
const dateLayout = "2006-01-02"

func localLayouts() []string {
	return []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"}
}

// longestDuration limits durations, so that every result has a year of four digits.
const longestDuration = 1000 * 366

var (
	durations    = regexp.MustCompile(`^(?:[0-9]+[smhdw])+$`)
	durationPart = regexp.MustCompile(`([0-9]+)([smhdw])`)
)

// ParseTime returns the time that people mean by text: a date, which is the start of that day; a date and a time of the day; RFC
// 3339; or a duration from now, as in 90d or 1d12h. Dates and times without a zone are in the location of now. Days and weeks
// are those of the calendar: a day later is the same time of the day.
func ParseTime(text string, now time.Time) (time.Time, error) {
	if parsed, err := time.Parse(time.RFC3339, text); err == nil {
		return parsed, nil
	}
	if durations.MatchString(text) {
		return addDuration(text, now, 1)
	}
	if day, err := time.ParseInLocation(dateLayout, text, now.Location()); err == nil {
		return startOfDay(day, text), nil
	}
	for _, layout := range localLayouts() {
		parsed, err := time.ParseInLocation(layout, text, now.Location())
		if err != nil {
			continue
		}
		if parsed.Format(layout) != text {
			return parsed, fmt.Errorf("%s does not exist in %s: the clocks are put forward then", text, now.Location())
		}
		return parsed, nil
	}
	return time.Time{}, fmt.Errorf("must be a duration as in 90d or 2h, a date as in 2027-01-01, or a time as in 2027-01-01 14:00 or "+
		"2027-01-01T14:00:00Z, not %q", text)
}

// ParsePastTime is like ParseTime for a time in the past: a duration ends at now.
func ParsePastTime(text string, now time.Time) (time.Time, error) {
	if durations.MatchString(text) {
		return addDuration(text, now, -1)
	}
	return ParseTime(text, now)
}

// startOfDay returns the first moment of the day with the given date, if its midnight may be skipped by the clocks.
func startOfDay(midnight time.Time, date string) time.Time {
	for midnight.Format(dateLayout) < date {
		midnight = midnight.Add(time.Hour)
	}
	return midnight
}

// addDuration returns the time that is sign times a duration after now.
func addDuration(text string, now time.Time, sign int) (time.Time, error) {
	sum := now
	for _, part := range durationPart.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(part[1])
		if err != nil || n > longestDuration {
			return sum, fmt.Errorf("%s is too long", text)
		}
		n *= sign
		switch part[2] {
		case "w":
			sum = sum.AddDate(0, 0, 7*n)
		case "d":
			sum = sum.AddDate(0, 0, n)
		default:
			unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[part[2]]
			sum = sum.Add(time.Duration(n) * unit)
		}
	}
	if sum.Year() > 9999 || sum.Year() < 1 {
		return sum, fmt.Errorf("%s is too long", text)
	}
	return sum, nil
}

// ParseSeconds returns a number of seconds, or a duration as in 2h in seconds. Days have 24 hours.
func ParseSeconds(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	if !durations.MatchString(text) {
		return 0, fmt.Errorf("must be a duration as in 90m or 2h, or a number of seconds, not %q", text)
	}
	start := time.Time{}
	end, err := addDuration(text, start, 1)
	return int64(end.Sub(start) / time.Second), err
}
