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
	hint   bool // named in the last line of the screen
}

// actions is the one registry: keys, hints, help, palette and the table of keys are made from it.
func actions() []action {
	everywhere := []scope{scopeEverywhere}
	threads := []scope{scopePage, scopeRequest, scopeChange, scopeComments}
	return []action{
		{"open", []string{"enter", "l", "right"}, "go in", everywhere, false},
		{"back", []string{"esc", "h", "left", "backspace"}, "go up one level", everywhere, false},
		{"help", []string{"?"}, "show the keys", everywhere, false},
		{"palette", []string{":", "ctrl+k"}, "do something by its name", everywhere, false},
		{"find", []string{"/"}, "search", everywhere, false},
		{"find-next", []string{"n"}, "next match", everywhere, false},
		{"find-previous", []string{"N"}, "previous match", everywhere, false},
		{"refresh", []string{"R", "f5"}, "load again", everywhere, false},
		{"drafts", []string{"D"}, "go on with an unsent text", everywhere, false},
		{"quit", []string{"q", "ctrl+c"}, "quit", everywhere, false},

		{"down", []string{"j", "down"}, "down", everywhere, false},
		{"up", []string{"k", "up"}, "up", everywhere, false},
		{"half-down", []string{"ctrl+d", "pgdown", " "}, "half a screen down", everywhere, false},
		{"half-up", []string{"ctrl+u", "pgup"}, "half a screen up", everywhere, false},
		{"first", []string{"g", "home"}, "first line", everywhere, false},
		{"last", []string{"G", "end"}, "last line", everywhere, false},
		{"next-item", []string{"}"}, "next block", everywhere, false},
		{"previous-item", []string{"{"}, "previous block", everywhere, false},

		{"requests", []string{"c"}, "change requests", []scope{scopeSpaces, scopeTree}, true},
		{"comments", []string{"C"}, "all comments", []scope{scopeSpaces, scopeTree, scopePage, scopeRequest, scopeChange}, true},
		{"fold", []string{"z"}, "fold and unfold", []scope{scopeSpaces, scopeChange}, false},

		{"status-next", []string{"tab"}, "next status", []scope{scopeRequests}, true},
		{"status-previous", []string{"shift+tab"}, "previous status", []scope{scopeRequests}, false},

		{"comment", []string{"c"}, "comment here", threads, true},
		{"comment-page", []string{"p"}, "comment on the page", []scope{scopePage, scopeChange}, false},
		{"reply", []string{"r"}, "reply", threads, true},
		{"resolve", []string{"x"}, "resolve or reopen", threads, true},
		{"react", []string{"+"}, "react", threads, false},
		{"edit", []string{"e"}, "edit your text", threads, false},
		{"thread-next", []string{"t"}, "next thread", threads, true},
		{"thread-previous", []string{"T"}, "previous thread", threads, false},
		{"resolved", []string{"o"}, "show or hide resolved", threads, false},

		{"browse", []string{"b"}, "its pages", []scope{scopeRequest}, true},
		{"merge", []string{"m"}, "merge", []scope{scopeRequest}, true},
		{"pull", []string{"u"}, "update from the space", []scope{scopeRequest}, true},

		{"change-next", []string{"]"}, "next change", []scope{scopeChange}, true},
		{"change-previous", []string{"["}, "previous change", []scope{scopeChange}, false},
		{"view", []string{"v"}, "unified, side by side, result", []scope{scopeChange}, true},
		{"page-next", []string{"J"}, "next changed page", []scope{scopeChange}, false},
		{"page-previous", []string{"K"}, "previous changed page", []scope{scopeChange}, false},

		{"ours", []string{"1", "o"}, "take the space's text", []scope{scopeConflicts}, true},
		{"theirs", []string{"2", "t"}, "take the request's text", []scope{scopeConflicts}, true},
		{"own", []string{"3", "e"}, "write your own", []scope{scopeConflicts}, true},
		{"conflict-next", []string{"]", "tab"}, "next conflict", []scope{scopeConflicts}, false},
		{"conflict-previous", []string{"[", "shift+tab"}, "previous conflict", []scope{scopeConflicts}, false},
		{"apply", []string{"u"}, "update with these", []scope{scopeConflicts}, true},

		{"send", []string{"ctrl+d"}, "send", []scope{scopeCompose}, true},
		{"editor", []string{"ctrl+e"}, "write in $EDITOR", []scope{scopeCompose}, true},
		{"keep", []string{"esc"}, "keep for later", []scope{scopeCompose}, true},
		{"discard", []string{"ctrl+x"}, "throw away", []scope{scopeCompose}, true},
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
