package tui

import (
	"slices"
	"strings"
)

// scope is where an action applies.
type scope string

// The scopes. Every page has its own; scopeEverywhere applies on all of them, the others while a
// component has the keys.
const (
	scopeEverywhere    scope = "everywhere"
	scopeOrganizations scope = "organizations"
	scopeSpaces        scope = "spaces"
	scopeTree          scope = "pages"
	scopePage          scope = "page"
	scopeRequests      scope = "change requests"
	scopeRequest       scope = "change request"
	scopeChange        scope = "changes of a page"
	scopeComments      scope = "comments"
	scopeConflicts     scope = "conflicts"
	scopeCompose       scope = "writing"
)

// pageScopes are the scopes of pages.
func pageScopes() []scope {
	return []scope{
		scopeOrganizations, scopeSpaces, scopeTree, scopePage, scopeRequests, scopeRequest, scopeChange, scopeComments, scopeConflicts,
	}
}

// action is something that a key or the palette does.
type action struct {
	name   string
	keys   []string
	help   string
	scopes []scope
	hint   string // how the last line of the screen names it; empty for not at all
}

// actions is the one registry: keys, hints, help, palette and the table of keys are made from it.
func actions() []action {
	everywhere := []scope{scopeEverywhere}
	threads := []scope{scopePage, scopeRequest, scopeChange, scopeComments}
	return []action{
		{"open", []string{"enter", "l", "right"}, "go in", everywhere, ""},
		{"back", []string{"esc", "h", "left", "backspace"}, "go up one level", everywhere, ""},
		{"help", []string{"?"}, "show the keys", everywhere, ""},
		{"palette", []string{":", "ctrl+k"}, "do something by its name", everywhere, ""},
		{"find", []string{"/"}, "search", everywhere, ""},
		{"find-next", []string{"n"}, "next match", everywhere, ""},
		{"find-previous", []string{"N"}, "previous match", everywhere, ""},
		{"refresh", []string{"R", "f5"}, "load again", everywhere, ""},
		{"drafts", []string{"D"}, "go on with an unsent text", everywhere, ""},
		{"quit", []string{"q", "ctrl+c"}, "quit", everywhere, ""},

		{"down", []string{"j", "down"}, "down", everywhere, ""},
		{"up", []string{"k", "up"}, "up", everywhere, ""},
		{"half-down", []string{"ctrl+d", "pgdown", " "}, "half a screen down", everywhere, ""},
		{"half-up", []string{"ctrl+u", "pgup"}, "half a screen up", everywhere, ""},
		{"first", []string{"g", "home"}, "first line", everywhere, ""},
		{"last", []string{"G", "end"}, "last line", everywhere, ""},
		{"next-item", []string{"}"}, "next block", everywhere, ""},
		{"previous-item", []string{"{"}, "previous block", everywhere, ""},

		{"requests", []string{"c"}, "change requests", []scope{scopeSpaces, scopeTree}, "changes"},
		{"fold", []string{"z"}, "fold and unfold", []scope{scopeSpaces, scopeChange}, ""},

		{"status-next", []string{"tab"}, "next status", []scope{scopeRequests}, "status"},
		{"status-previous", []string{"shift+tab"}, "previous status", []scope{scopeRequests}, ""},

		{"browse", []string{"b"}, "its pages", []scope{scopeRequest}, "pages"},
		{"merge", []string{"m"}, "merge", []scope{scopeRequest}, "merge"},
		{"pull", []string{"u"}, "update from the space", []scope{scopeRequest}, "update"},
		{"approve", []string{"a"}, "approve it", []scope{scopeRequest}, "approve"},
		{"request-changes", []string{"A"}, "ask for changes", []scope{scopeRequest}, ""},
		{"since", []string{"s"}, "what is new to you, or all", []scope{scopeRequest}, ""},
		{"change-next", []string{"]"}, "next change", []scope{scopeChange}, "change"},
		{"change-previous", []string{"["}, "previous change", []scope{scopeChange}, ""},
		{"view", []string{"v"}, "unified, side by side, result", []scope{scopeChange}, "view"},
		{"comment", []string{"c"}, "comment here", threads, "comment"},
		{"comment-page", []string{"p"}, "comment on the page", []scope{scopePage, scopeChange}, ""},
		{"reply", []string{"r"}, "reply", threads, "reply"},
		{"resolve", []string{"x"}, "resolve or reopen", threads, "resolve"},
		{"react", []string{"+"}, "react", threads, ""},
		{"edit", []string{"e"}, "edit your text", threads, ""},
		{"thread-next", []string{"t"}, "next thread", threads, "thread"},
		{"thread-previous", []string{"T"}, "previous thread", threads, ""},
		{"resolved", []string{"o"}, "show or hide resolved", threads, ""},

		{"page-next", []string{"J"}, "next changed page", []scope{scopeChange}, ""},
		{"page-previous", []string{"K"}, "previous changed page", []scope{scopeChange}, ""},

		{"comments", []string{"C"}, "all comments", []scope{scopeSpaces, scopeTree, scopePage, scopeRequest, scopeChange}, "comments"},

		{"ours", []string{"1", "o"}, "take the space's text", []scope{scopeConflicts}, "ours"},
		{"theirs", []string{"2", "t"}, "take the request's text", []scope{scopeConflicts}, "theirs"},
		{"own", []string{"3", "e"}, "write your own", []scope{scopeConflicts}, "own"},
		{"both", []string{"4", "b"}, "take both, one after the other", []scope{scopeConflicts}, "both"},
		{"conflict-next", []string{"]", "tab"}, "next conflict", []scope{scopeConflicts}, ""},
		{"conflict-previous", []string{"[", "shift+tab"}, "previous conflict", []scope{scopeConflicts}, ""},
		{"apply", []string{"u"}, "update with these", []scope{scopeConflicts}, "apply"},

		{"send", []string{"ctrl+d"}, "send", []scope{scopeCompose}, "send"},
		{"editor", []string{"ctrl+e"}, "write in $EDITOR", []scope{scopeCompose}, "editor"},
		{"keep", []string{"esc"}, "keep for later", []scope{scopeCompose}, "keep"},
		{"discard", []string{"ctrl+x"}, "throw away", []scope{scopeCompose}, "throw away"},
	}
}

// in reports whether the action applies on a page.
func (a action) in(s scope) bool {
	return slices.Contains(a.scopes, s) || s != scopeCompose && slices.Contains(a.scopes, scopeEverywhere)
}

// lookup returns the action of a key in a scope; the page's own wins over what applies everywhere.
func lookup(s scope, key string) (action, bool) {
	for _, a := range applicable(s) {
		if slices.Contains(a.keys, key) {
			return a, true
		}
	}
	return action{}, false
}

// applicable returns the actions of a scope, its own first.
func applicable(s scope) []action {
	var own, shared []action
	for _, a := range actions() {
		switch {
		case slices.Contains(a.scopes, s):
			own = append(own, a)
		case a.in(s):
			shared = append(shared, a)
		}
	}
	return append(own, shared...)
}

// keyNames writes keys for people.
func keyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
}

func keyName(key string) string {
	switch key {
	case " ":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	default:
		return key
	}
}

// KeyTable returns the table of keys in Markdown, for the manual.
func KeyTable() string {
	var b strings.Builder
	b.WriteString("| Where | Keys | What |\n|---|---|---|\n")
	for _, s := range append([]scope{scopeEverywhere}, append(pageScopes(), scopeCompose)...) {
		for _, a := range actions() {
			if slices.Contains(a.scopes, s) {
				b.WriteString("| " + string(s) + " | `" + strings.ReplaceAll(keyNames(a.keys), " ", "` `") + "` | " + a.help + " |\n")
			}
		}
	}
	return b.String()
}
