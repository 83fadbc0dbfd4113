package diff

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// writer converts hunks to runs. Adjacent runs with the same change are joined; removed text precedes added text.
type writer struct {
	runs           []api.TextRun
	common         strings.Builder // pending common text
	removed, added strings.Builder // pending changed text
	formatting     bool            // the pending change is formatting only
}

// runs compares two texts of a block. markers are the keys of their list numbers.
func (d *differ) runs(kind, oldText, newText string, markers [2]string) []api.TextRun {
	switch strings.Compare(oldText, newText) {
	case 0:
		return singleRun(api.TextSame, newText)
	case 1: // compare in one canonical direction, so that a change and its reverse have the same ambiguous parts
		return reverseRuns(d.runs(kind, newText, oldText, [2]string{markers[1], markers[0]}))
	}
	old, new := d.tokens(kind, oldText, markers[0]), d.tokens(kind, newText, markers[1])
	lines := content.LineBased(kind)
	var w writer
	i, j := 0, 0
	for _, h := range d.changes(old, new, lines) {
		for ; i < h.A; i, j = i+1, j+1 {
			w.writeEqual(old[i], new[j])
		}
		i, j = w.writeHunk(h, old, new)
	}
	for ; i < len(old); i, j = i+1, j+1 {
		w.writeEqual(old[i], new[j])
	}
	w.flushCommon()
	w.flush()
	return w.runs
}

// reverseRuns swaps added and removed runs in place, so that they describe the opposite change, and returns them.
func reverseRuns(runs []api.TextRun) []api.TextRun {
	for i := range runs {
		switch runs[i].Change {
		case api.TextAdded:
			runs[i].Change = api.TextRemoved
			if i > 0 && runs[i-1].Change == api.TextAdded && runs[i-1].Formatting == runs[i].Formatting {
				runs[i-1], runs[i] = runs[i], runs[i-1]
			}
		case api.TextRemoved:
			runs[i].Change = api.TextAdded
		case api.TextSame:
		}
	}
	return runs
}

// singleRun returns a text as one run.
func singleRun(change api.TextChange, text string) []api.TextRun {
	if text == "" {
		return []api.TextRun{}
	}
	return []api.TextRun{{Change: change, Text: text}}
}

// writeEqual writes a token of both texts.
func (w *writer) writeEqual(old, new token) {
	w.writeSpace(old, new)
	w.writePair(old.text, new.text, true)
}

// writeSpace writes the white space before two tokens. If only the indentation differs, the line endings before it are
// unchanged.
func (w *writer) writeSpace(old, new token) {
	alike := old.space == new.space
	if at := strings.LastIndexByte(old.lead, '\n') + 1; !alike && strings.HasPrefix(new.lead, old.lead[:at]) &&
		!strings.Contains(new.lead[at:], "\n") {
		w.writeSame(old.lead[:at])
		old.lead, new.lead = old.lead[at:], new.lead[at:]
	}
	w.writePair(old.lead, new.lead, alike)
}

// writePair writes corresponding text: unchanged, formatting if alike is set, or changed.
func (w *writer) writePair(old, new string, alike bool) {
	if old == new {
		w.writeSame(old)
		return
	}
	w.writeChange(old, new, alike)
}

func (w *writer) writeSame(text string) {
	if text == "" {
		return
	}
	w.flush()
	w.common.WriteString(text)
}

// flushCommon writes the pending common text.
func (w *writer) flushCommon() {
	if w.common.Len() > 0 {
		w.runs = append(w.runs, api.TextRun{Change: api.TextSame, Text: w.common.String()})
		w.common.Reset()
	}
}

func (w *writer) writeChange(old, new string, formatting bool) {
	if w.formatting != formatting {
		w.flush()
		w.formatting = formatting
	}
	if old != "" || new != "" {
		w.flushCommon()
	}
	w.removed.WriteString(old)
	w.added.WriteString(new)
}

func (w *writer) flush() {
	for _, side := range []struct {
		change api.TextChange
		text   *strings.Builder
	}{{api.TextRemoved, &w.removed}, {api.TextAdded, &w.added}} {
		if side.text.Len() > 0 {
			w.runs = append(w.runs, api.TextRun{Change: side.change, Text: side.text.String(), Formatting: w.formatting})
			side.text.Reset()
		}
	}
}

// writeHunk writes a change with the white space around it, and returns the next tokens. If one side has no tokens, the
// white space before the token after the change is part of the change, whose start is chosen so that the remaining
// white space is equal.
func (w *writer) writeHunk(h align.Hunk, old, new []token) (i, j int) {
	next, then := old[h.AEnd], new[h.BEnd]
	switch {
	case h.A == h.AEnd && (next.space == new[h.B].space || next.space != then.space):
		w.writeSpace(next, new[h.B])
		w.writeChange("", textWithoutLead(new[h.B:h.BEnd])+then.lead, false)
	case h.B == h.BEnd && (then.space == old[h.A].space || next.space != then.space):
		w.writeSpace(old[h.A], then)
		w.writeChange(textWithoutLead(old[h.A:h.AEnd])+next.lead, "", false)
	case h.A == h.AEnd:
		w.writeChange("", textWithLead(new[h.B:h.BEnd]), false)
		w.writeSpace(next, then)
	case h.B == h.BEnd:
		w.writeChange(textWithLead(old[h.A:h.AEnd]), "", false)
		w.writeSpace(next, then)
	default:
		w.writeSpace(old[h.A], new[h.B])
		w.writeChange(textWithoutLead(old[h.A:h.AEnd]), textWithoutLead(new[h.B:h.BEnd]), false)
		w.writeSpace(next, then)
	}
	w.writePair(next.text, then.text, true)
	return h.AEnd + 1, h.BEnd + 1
}

// textWithLead returns the text of tokens with the white space before them.
func textWithLead(list []token) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.lead)
		b.WriteString(t.text)
	}
	return b.String()
}

// textWithoutLead is textWithLead without the white space before the first token.
func textWithoutLead(list []token) string {
	return strings.TrimPrefix(textWithLead(list), list[0].lead)
}
