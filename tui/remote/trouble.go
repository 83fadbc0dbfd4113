package remote

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"docspace.dev/wsd/client/api"
)

// Trouble is why there is no newer value.
type Trouble struct {
	Label    string // in the last line: "offline", "not allowed"
	Sentence string // what stands in place of the content
}

// TroubleOf says what kind of trouble an error is.
func TroubleOf(err error) Trouble {
	refused, ok := api.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return Trouble{"cancelled", "This was not loaded."}
	case !ok:
		return Trouble{"offline", "The server does not answer."}
	case refused.Code == 401:
		return Trouble{"not signed in", "The server does not know this token any more."}
	case refused.Code == 403:
		return Trouble{"not allowed", "You may not see this."}
	case refused.Code == 404:
		return Trouble{"not found", "This is not there, or you may not see it."}
	case refused.Code == 429, refused.Code >= 500:
		return Trouble{"server busy", "The server is away or busy."}
	default:
		return Trouble{"refused", "The server refuses this."}
	}
}

// Explain is an error with its hint and its fields.
func Explain(err error) []string {
	refused, ok := api.AsError(err)
	if !ok {
		return []string{err.Error()}
	}
	lines := says(refused)
	if refused.Hint != "" && refused.Code != 401 {
		lines = append(lines, "hint: "+refused.Hint)
	}
	return lines
}

// Say is an error in one line, without its hint.
func Say(err error) string {
	refused, ok := api.AsError(err)
	if !ok {
		return err.Error()
	}
	return strings.Join(says(refused), "; ")
}

// says is what is wrong: what the server says of it as a whole, unless that is only what it says of the fields, and then these.
func says(refused *api.Error) []string {
	if refused.Code == 401 {
		return []string{"wsctl auth login signs in again; drafts are kept, and p lists them."}
	}
	var lines []string
	if n := len(refused.Fields); n == 0 || !strings.HasPrefix(refused.Message, refused.Fields[0].Path+": ") {
		lines = append(lines, refused.Message)
	}
	for _, f := range refused.Fields {
		lines = append(lines, Field(f.Path)+" "+f.Message)
	}
	return lines
}

// fields are what parts of a body are called on the screen.
var fields = map[string]string{
	"quote": "quote", "start": "place of the quote", "node": "block", "page": "page", "replyTo": "thread", "document": "text of the page",
	"status": "verdict", "comment": "summary", "suggestion": "suggestion", "users": "reviewer",
}

// Field is what a part of a body is called on the screen, by its path on the wire: the last part of that which says more than
// that there is a text.
func Field(path string) string {
	for _, part := range slices.Backward(strings.Split(path, ".")) {
		part, _, _ = strings.Cut(part, "[")
		switch part {
		case "", "markdown", "body", "text":
			continue
		}
		if name, known := fields[part]; known {
			return "the " + name
		}
		return "the " + spaced(part)
	}
	return "the text"
}

// spaced is a name of the wire in words.
func spaced(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
