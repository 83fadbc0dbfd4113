package app

import "strings"

// ShellWord returns a word of a command line as it is typed in a shell: in quotes if it has characters that mean something there.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"$&;|()<>*?`\\!{}[]") && !strings.ContainsAny(word[:1], "#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
