package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// deeds are what people did, by the kind of the event, with the words before the page that it is about.
var deeds = map[api.TimelineKind][2]string{
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

// UserName is what somebody is called by who reads it.
func UserName(u api.User, me string) string {
	if u.ID == me && me != "" {
		return "you"
	}
	return u.DisplayName
}

// doer is who did something; without a name, wsd did it by itself.
func doer(e api.TimelineEvent, me string) string {
	if e.By == nil {
		return "wsd"
	}
	return UserName(*e.By, me)
}

// Deed says what somebody did, without who.
func Deed(e api.TimelineEvent, me string) string {
	deed, known := deeds[e.Kind]
	if !known {
		deed = deeds[api.TimelineOther]
	}
	switch asked := e.Kind == api.TimelineAsked || e.Kind == api.TimelineWithdrawn; {
	case asked && len(e.Users) > 0:
		return map[bool]string{true: "asked ", false: "no longer asks "}[e.Kind == api.TimelineAsked] + listUsers(e.Users, me)
	case e.Kind == api.TimelineUpdated: // of which pages, the space says
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

// listUsers are people, one after the other.
func listUsers(users []api.User, me string) string { return joinUsers(users, me, " and ") }

// joinUsers are people, the last one behind a word.
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

// Event is something that happened, on a line: when, who, what. numbers are those of revisions, by their ids, as far as they
// are known.
func Event(e api.TimelineEvent, me, age string, numbers map[string]int) Line {
	line := Line{
		In(Dim, Column(age, ageWidth)), Of(Style{Bold: true}, doer(e, me)), Plain(" " + Deed(e, me)),
	}
	switch n := numbers[e.Revision]; e.Kind {
	case api.TimelineApproved, api.TimelineChangesRequested, api.TimelineEdited, api.TimelineUpdated, api.TimelineImported, api.TimelineSuggestionApplied:
		if n > 0 {
			line = append(line, In(Dim, fmt.Sprintf(" r%d", n)))
		}
	default:
	}
	return line
}

// Events are lines of what happened, as Event draws them. What reads as the one before or behind it has the time of its own
// day behind it.
func Events(events []api.TimelineEvent, me string, age func(time.Time) string, numbers map[string]int, now time.Time) []Line {
	lines := make([]Line, len(events))
	says := make([]string, len(events))
	for i, e := range events {
		lines[i] = Event(e, me, age(e.At.Time), numbers)
		says[i] = lines[i].String()
	}
	for i, e := range events {
		if i > 0 && says[i] == says[i-1] || i+1 < len(says) && says[i] == says[i+1] {
			lines[i] = append(lines[i], In(Dim, " · "+e.At.In(now.Location()).Format("15:04:05")))
		}
	}
	return lines
}

// ageWidth is the width of ages before events.
const ageWidth = 6

// kinds are what events are called when they are counted.
var kinds = []struct {
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

// Tally counts events by what they are: "2 replies, 1 edit"; nothing for none.
func Tally(events []api.TimelineEvent) string {
	var parts []string
	counted := 0
	for _, k := range kinds {
		n := 0
		for _, e := range events {
			if slices.Contains(k.kinds, e.Kind) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, counts(n, k.word))
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

// counts counts things whose plural may end in -ies.
func counts(n int, word string) string {
	if n != 1 && strings.HasSuffix(word, "y") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(word, "y"))
	}
	return Plural(n, word)
}

// By are the events that others did.
func By(events []api.TimelineEvent, me string) []api.TimelineEvent {
	return slices.DeleteFunc(slices.Clone(events), func(e api.TimelineEvent) bool { return e.By != nil && e.By.ID == me })
}

// Since are the events behind a cursor, and whether that is among those that are known; without a cursor, all are.
func Since(events []api.TimelineEvent, cursor string) (news []api.TimelineEvent, known bool) {
	at := slices.IndexFunc(events, func(e api.TimelineEvent) bool { return e.Cursor == cursor })
	if cursor == "" || at < 0 {
		return events, cursor == ""
	}
	return events[at+1:], true
}

// News says who did what last, and how much else was done, in the words that there is room for: the page goes first, then
// what else it was, then what was done.
func News(events []api.TimelineEvent, me string, room int) string {
	if len(events) == 0 {
		return ""
	}
	last := events[len(events)-1]
	bare := last
	bare.Page, bare.PageTitle, bare.Pages = "", "", 0
	tally, more := "", ""
	if n := len(events) - 1; n > 0 {
		tally, more = " + "+Tally(events[:n]), fmt.Sprintf(" + %d more", n)
	}
	long, short := doer(last, me)+" "+Deed(last, me), doer(last, me)+" "+Deed(bare, me)
	for _, says := range []string{long + tally, long + more, short + more, doer(last, me) + more} {
		if (Line{Plain(says)}).Width() <= room {
			return says
		}
	}
	return fmt.Sprintf("%d new", len(events))
}
