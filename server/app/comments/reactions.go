package comments

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// updateReactions adds and removes reactions of a user and reports whether any changed.
func updateReactions(reactions *[]store.Reaction, user string, tx *store.Tx, added, removed []string) (changed bool, err error) {
	for i, emoji := range added {
		if err := checkEmoji(fmt.Sprintf("addedReactions[%d]", i), emoji); err != nil {
			return false, err
		}
		if !slices.ContainsFunc(*reactions, func(r store.Reaction) bool { return r.Emoji == emoji && r.User == user }) {
			*reactions, changed = append(*reactions, store.Reaction{Emoji: emoji, User: user, AddedAt: api.At(tx.Now())}), true
		}
	}
	for i, emoji := range removed {
		if err := checkEmoji(fmt.Sprintf("removedReactions[%d]", i), emoji); err != nil {
			return false, err
		}
		if slices.Contains(added, emoji) {
			return false, api.InvalidField(fmt.Sprintf("removedReactions[%d]", i), "is added in the same request")
		}
		before := len(*reactions)
		*reactions = slices.DeleteFunc(*reactions, func(r store.Reaction) bool { return r.Emoji == emoji && r.User == user })
		changed = changed || len(*reactions) != before
	}
	if len(*reactions) > maxReactions {
		return false, api.InvalidField("addedReactions", "would make %d reactions; at most %d are kept", len(*reactions), maxReactions)
	}
	return changed, nil
}

// maxEmojiBytes is enough for the longest sequences, such as families with skin tones and flags.
const maxEmojiBytes = 50

// checkEmoji accepts a short text without white space or control characters. It does not check for emoji, since they
// change with each Unicode version and rejecting a new one would be worse than accepting another symbol. Shortcodes
// such as :+1: are also accepted.
func checkEmoji(path, text string) error {
	switch {
	case text == "" || len(text) > maxEmojiBytes:
		return api.InvalidField(path, "must be an emoji of 1 to %d bytes", maxEmojiBytes)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7F }):
		return api.InvalidField(path, "must be an emoji, not %q", text)
	}
	return nil
}
