package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"docspace.dev/wsd/client/api"
)

// ErrorDescription describes why a value is not up to date.
type ErrorDescription struct {
	Label    string // for the footer: "offline", "not allowed"
	Sentence string // shown instead of the content
}

// DescribeError returns the description of an error.
func DescribeError(err error) ErrorDescription {
	refused, ok := api.AsError(err)
	switch {
	case errors.Is(err, context.Canceled):
		return ErrorDescription{"cancelled", "This was not loaded."}
	case isFileError(err):
		return ErrorDescription{"this computer", "A file on this computer cannot be read or written."}
	case errors.Is(err, context.DeadlineExceeded):
		return ErrorDescription{"no answer", "The server did not answer in time."}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrorDescription{"cut off", "The answer of the server was cut off."}
	case isInvalidResponse(err):
		return ErrorDescription{"not wsd", "Something other than wsd answers at this address."}
	case !ok:
		return ErrorDescription{"offline", "The server cannot be reached."}
	case refused.Code == 401:
		return ErrorDescription{"not signed in", "You are not signed in any more: the token or login has ended."}
	case refused.Code == 403:
		return ErrorDescription{"not allowed", "You may not see this."}
	case refused.Code == 404:
		return ErrorDescription{"not found", "This is not there, or you may not see it."}
	case refused.Code == 429, refused.Code >= 500:
		return ErrorDescription{"server busy", "The server is away or busy."}
	default:
		return ErrorDescription{"refused", "The server refuses this."}
	}
}

// invalidResponse is the error for a successful response that does not come from wsd.
type invalidResponse interface {
	error
	IsWebPage() bool
}

// isInvalidResponse reports whether an error is an invalidResponse.
func isInvalidResponse(err error) bool {
	_, is := errors.AsType[invalidResponse](err)
	return is
}

// isFileError reports whether an error comes from the file system, for instance when drafts are stored.
func isFileError(err error) bool {
	_, is := errors.AsType[*fs.PathError](err)
	return is
}

// ErrorLines returns the description of an error with its hint and fields, one per line.
func ErrorLines(err error) []string {
	refused, ok := api.AsError(err)
	if !ok {
		return []string{plainText(err)}
	}
	lines := messages(refused)
	if refused.Hint != "" && refused.Code != 401 {
		lines = append(lines, "hint: "+refused.Hint)
	}
	return lines
}

// ErrorLine returns the description of an error in one line without its hint.
func ErrorLine(err error) string {
	refused, ok := api.AsError(err)
	if !ok {
		return plainText(err)
	}
	return strings.Join(messages(refused), "; ")
}

// plainText describes an error that is not a response of wsd in terms that users understand.
func plainText(err error) string {
	foreign, is := errors.AsType[invalidResponse](err)
	switch {
	case is && foreign.IsWebPage():
		return "It sends a web page: a sign-in page of this network, or a proxy? Open the address in a browser."
	case is && !errors.Is(err, io.ErrUnexpectedEOF):
		return "What it sends is not an answer of wsd. Is the address of the server right (wsctl config)?"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		return "The connection may be slow or broken; nothing that you wrote is lost."
	default:
		return err.Error()
	}
}

// messages returns the messages of a rejection: the general one, unless it only repeats those of the fields, and then
// these.
func messages(refused *api.Error) []string {
	if refused.Code == 401 {
		return []string{"wsctl login signs in again; drafts are kept, and p lists them."}
	}
	var lines []string
	if n := len(refused.Fields); n == 0 || !strings.HasPrefix(refused.Message, refused.Fields[0].Path+": ") {
		lines = append(lines, refused.Message)
	}
	for _, f := range refused.Fields {
		lines = append(lines, FieldName(f.Path)+" "+f.Message)
	}
	return lines
}

// fieldNames maps members of a request body to display names.
var fieldNames = map[string]string{
	"quote": "quote", "start": "place of the quote", "node": "block", "page": "page", "replyTo": "thread", "document": "text of the page",
	"status": "verdict", "comment": "summary", "suggestion": "suggestion", "users": "reviewer",
}

// FieldName returns the display name for the path of a member of a request body: that of its last informative component.
func FieldName(path string) string {
	for _, part := range slices.Backward(strings.Split(path, ".")) {
		part, _, _ = strings.Cut(part, "[")
		switch part {
		case "", "markdown", "body", "text":
			continue
		}
		if name, known := fieldNames[part]; known {
			return "the " + name
		}
		return "the " + splitName(part)
	}
	return "the text"
}

// splitName splits a member name into words.
func splitName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
