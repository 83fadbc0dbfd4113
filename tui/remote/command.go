package remote

import (
	"regexp"
	"strings"
)

// Command returns a wsctl command line, quoted for a shell.
func Command(words ...string) string {
	line := []string{"wsctl"}
	for _, w := range words {
		if !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		line = append(line, w)
	}
	return strings.Join(line, " ")
}

// plainWord matches words that need no quoting in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@=+-]+$`)

// Command returns the command for a resource of the target: ofSpace for spaces and ofRequest for change requests. words precede
// the flags that select the target.
func (t Target) Command(ofSpace, ofRequest string, words ...string) string {
	resource, flags := ofSpace, []string{"--space", t.Space}
	if t.ChangeRequest != "" {
		resource, flags = ofRequest, append(flags, "--change-request", t.ChangeRequest)
	}
	return Command(append(append([]string{resource}, words...), flags...)...)
}

// RequestCommand returns the command for an operation on the change request itself, followed by more.
func (t Target) RequestCommand(operation string, more ...string) string {
	return Command(append([]string{"change-requests", operation, t.ChangeRequest, "--space", t.Space}, more...)...)
}
