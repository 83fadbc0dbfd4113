package terminal

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestQuestionOfServerCommand checks that an interrupt at a question of a wsd command ends it without a change, and that the word
// yes answers it.
func TestQuestionOfServerCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shell := w.author.openInShell("ada", "--help")
	var settings []string
	for _, variable := range w.environment() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "WSD_") {
			settings = append(settings, name+"='"+value+"'")
		}
	}
	command := "clear; " + strings.Join(settings, " ") + " " + filepath.Join(w.bin, "wsd") + " user end rob@example.com"
	shell.runInShell(command)
	shell.wantTexts("End the account? [y/N]")
	shell.press("C-c")
	shell.wantTexts("nothing was changed", shellPrompt)
	shell.runInShell(command)
	shell.wantTexts("End the account? [y/N]")
	shell.runInShell("yes")
	shell.wantTexts("has ended", shellPrompt)
}
