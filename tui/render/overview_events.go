package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// eventPhrases maps event kinds to the phrase for the action and the words before the page title.
var eventPhrases = map[api.TimelineKind][2]string{
	api.TimelineCreated:           {"started it"},
	api.TimelineDescribed:         {"changed the subject or description"},
	api.TimelineOpened:            {"opened it for review"},
	api.TimelineDrafted:           {"made it a draft again"},
	api.TimelineArchived:          {"archived it"},
	api.TimelineEdited:            {"edited", ""},
	api.TimelineImported:          {"imported", ""},
	api.TimelineUpdated:           {"updated it from the space"},
	api.TimelineMerged:            {"merged it"},
	api.TimelineAsked:             {"asked for a review"},
	api.TimelineWithdrawn:         {"withdrew a review request"},
	api.TimelineApproved:          {"approved"},
	api.TimelineChangesRequested:  {"requested changes"},
	api.TimelineReviewed:          {"sent comments"},
	api.TimelineCommented:         {"commented", "on "},
	api.TimelineReplied:           {"replied", "on "},
	api.TimelineResolved:          {"resolved a thread", "on "},
	api.TimelineReopened:          {"reopened a thread", "on "},
	api.TimelineRemarked:          {"changed a comment", "on "},
	api.TimelineRemoved:           {"removed a comment", "on "},
	api.TimelineSuggestionApplied: {"applied a suggestion", "on "},
	api.TimelineOther:             {"changed something"},
}

// UserName returns the display name of a user for the reader with id me.
func UserName(u api.User, me string) string {
	if u.ID == me && me != "" {
		return "you"
	}
	return u.DisplayName
}

// actorName returns the name of the user who caused an event, or wsd if there is none.
func actorName(e api.TimelineEvent, me string) string {
	if e.By == nil {
		return "wsd"
	}
	return UserName(*e.By, me)
}

// EventAction describes the action of an event without its actor.
func EventAction(e api.TimelineEvent, me string) string {
	deed, known := eventPhrases[e.Kind]
	if !known {
		deed = eventPhrases[api.TimelineOther]
	}
	switch isRequest := e.Kind == api.TimelineAsked || e.Kind == api.TimelineWithdrawn; {
	case isRequest && len(e.Users) > 0:
		return Choose(e.Kind == api.TimelineAsked, "asked ", "no longer asks ") + listUsers(e.Users, me)
	case e.Kind == api.TimelineUpdated: // the space event names the pages
		return deed[0]
	case e.PageTitle != "" && len(deed) > 1:
		return strings.TrimRight(deed[0]+" "+deed[1]+e.PageTitle, " ")
	case e.Pages > 0:
		return deed[0] + " " + Plural(e.Pages, "page")
	case e.Page != "" && len(deed) > 1:
		return deed[0] + " " + deed[1] + "a page that is gone"
	case e.Kind == api.TimelineEdited || e.Kind == api.TimelineImported:
		return deed[0] + " it"
	default:
		return deed[0]
	}
}

// listUsers joins the names of users with "and".
func listUsers(users []api.User, me string) string { return joinUsers(users, me, " and ") }

// joinUsers joins the names of users, with word before the last one.
func joinUsers(users []api.User, me, word string) string {
	all := make([]string, len(users))
	for i, u := range users {
		all[i] = UserName(u, me)
	}
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + word + all[n-1]
	}
	return strings.Join(all, "")
}

// EventLine draws an event on one line: age, actor and action. numbers maps revision ids to numbers and may be
// incomplete.
func EventLine(e api.TimelineEvent, me, age string, numbers map[string]int) Line {
	line := Line{
		In(Dim, PadColumn(age, ageWidth)), NewSpan(Style{Bold: true}, actorName(e, me)), Plain(" " + EventAction(e, me)),
	}
	switch n := numbers[e.Revision]; e.Kind {
	case api.TimelineApproved, api.TimelineChangesRequested, api.TimelineEdited, api.TimelineUpdated, api.TimelineImported,
		api.TimelineSuggestionApplied:
		if n > 0 {
			line = append(line, In(Dim, fmt.Sprintf(" r%d", n)))
		}
	default:
	}
	return line
}

// EventLines draws a line per event like EventLine. An event that would read like a neighbouring one also gets its time.
func EventLines(events []api.TimelineEvent, me string, age func(time.Time) string, numbers map[string]int, now time.Time) []Line {
	lines := make([]Line, len(events))
	says := make([]string, len(events))
	for i, e := range events {
		lines[i] = EventLine(e, me, age(e.At.Time), numbers)
		says[i] = lines[i].String()
	}
	for i, e := range events {
		if i > 0 && says[i] == says[i-1] || i+1 < len(says) && says[i] == says[i+1] {
			lines[i] = append(lines[i], In(Dim, " · "+clockText(e.At.In(now.Location()), now)))
		}
	}
	return lines
}

// clockText returns the time of day, with the date unless it is today.
func clockText(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04:05")
	}
	return at.Format("2 Jan 15:04:05")
}

// ageWidth is the width of the age column.
const ageWidth = 6

// eventNouns maps event kinds to the nouns used for counting.
var eventNouns = []struct {
	kinds []api.TimelineKind
	word  string
}{
	{[]api.TimelineKind{api.TimelineReplied}, "reply"},
	{[]api.TimelineKind{api.TimelineCommented}, "comment"},
	{[]api.TimelineKind{api.TimelineEdited, api.TimelineImported, api.TimelineSuggestionApplied}, "edit"},
	{[]api.TimelineKind{api.TimelineApproved, api.TimelineChangesRequested, api.TimelineReviewed}, "review"},
	{[]api.TimelineKind{api.TimelineUpdated}, "update"},
	{[]api.TimelineKind{api.TimelineMerged}, "merge"},
}

// CountEvents counts events by kind, such as "2 replies, 1 edit". It returns "" if there are none.
func CountEvents(events []api.TimelineEvent) string {
	var parts []string
	counted := 0
	for _, k := range eventNouns {
		n := 0
		for _, e := range events {
			if slices.Contains(k.kinds, e.Kind) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, countNoun(n, k.word))
		}
		counted += n
	}
	if rest := len(events) - counted; rest > 0 {
		parts = append(parts, fmt.Sprintf("%d more", rest))
	}
	if counted == 0 && len(parts) > 0 {
		return Plural(len(events), "event")
	}
	return strings.Join(parts, ", ")
}

// countNoun counts things whose plural may end in -ies.
func countNoun(n int, word string) string {
	if n != 1 && strings.HasSuffix(word, "y") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(word, "y"))
	}
	return Plural(n, word)
}

// EventsOfOthers returns the events of users other than me.
func EventsOfOthers(events []api.TimelineEvent, me string) []api.TimelineEvent {
	return slices.DeleteFunc(slices.Clone(events), func(e api.TimelineEvent) bool { return e.By != nil && e.By.ID == me })
}

// EventsSince returns the events after a cursor, and whether the cursor was found. Without a cursor it returns all events.
func EventsSince(events []api.TimelineEvent, cursor string) (news []api.TimelineEvent, known bool) {
	at := slices.IndexFunc(events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
	if cursor == "" || at < 0 {
		return events, cursor == ""
	}
	return events[at+1:], true
}

// NewsLine describes the latest event and counts the others in at most width cells. If it does not fit, the page is
// dropped first, then the other counts, then the action.
func NewsLine(events []api.TimelineEvent, me string, width int) string {
	if len(events) == 0 {
		return ""
	}
	last := events[len(events)-1]
	bare := last
	bare.Page, bare.PageTitle, bare.Pages = "", "", 0
	tally, more := "", ""
	if n := len(events) - 1; n > 0 {
		tally, more = " + "+CountEvents(events[:n]), fmt.Sprintf(" + %d more", n)
	}
	long, short := actorName(last, me)+" "+EventAction(last, me), actorName(last, me)+" "+EventAction(bare, me)
	for _, text := range []string{long + tally, long + more, short + more, actorName(last, me) + more} {
		if (Line{Plain(text)}).Width() <= width {
			return text
		}
	}
	return fmt.Sprintf("%d new", len(events))
}
