package api

import "testing"

func TestIsEmoji(t *testing.T) {
	t.Parallel()
	for _, one := range []string{
		"📘", "👍", "👍🏽", "❤️", "❤", "🇩🇪", "1️⃣", "#⃣", "👨‍👩‍👧", "🏴‍☠️", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "©️", "™", "ℹ️", "↔️", "▶️", "⭐", "〰️", "‼️", "🧪", "👩🏿‍🚀",
		"☝🏽", "♀️", "1f600", "1F468-200d-1F469",
	} {
		if !isEmoji(one) {
			t.Errorf("%s is refused", one)
		}
	}
	for _, invalid := range []string{
		"x", "<b>x</b>", "notemoji", "👍👍", "👍 ", " 👍", "1", "#", "+", "-", "é", "漢", "\u200d", "\ufe0f", "🇩", "🇩🇪🇫", "👍\u200d", "=", "|",
		"$", "1f600-", "beef f00d",
	} {
		if isEmoji(invalid) {
			t.Errorf("%q is taken", invalid)
		}
	}
}
