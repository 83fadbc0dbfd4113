package remote

import (
	"regexp"
	"strings"
)

// Command is the wsctl command that does the same as something on the screen, as it is typed in a shell.
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

// plainWord matches what no shell reads as anything else.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@=+-]+$`)

// Command is that for a resource of the target: of the space, or of the change request where it is one. words stand before
// the flags that name the target.
func (t Target) Command(ofSpace, ofRequest string, words ...string) string {
	resource, flags := ofSpace, []string{"--space", t.Space}
	if t.ChangeRequest != "" {
		resource, flags = ofRequest, append(flags, "--change-request", t.ChangeRequest)
	}
	return Command(append(append([]string{resource}, words...), flags...)...)
}

// RequestCommand is that for an operation on the change request itself; more stands behind it.
func (t Target) RequestCommand(operation string, more ...string) string {
	return Command(append([]string{"change-requests", operation, t.ChangeRequest, "--space", t.Space}, more...)...)
}
