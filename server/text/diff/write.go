package diff

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// writer makes runs out of hunks. Runs of one fate that follow one another become
// one; what was removed stands before what was added.
type writer struct {
	runs           []api.TextRun
	common         strings.Builder // what both have, not written yet
	removed, added strings.Builder // not written yet
	formatting     bool            // of those
}

// runs compares two texts of a block. markers are the keys of the list numbers that
// they begin with.
func (d *differ) runs(kind, oldText, newText string, markers [2]string) []api.TextRun {
	switch strings.Compare(oldText, newText) {
	case 0:
		return whole(api.TextSame, newText)
	case 1: // one direction decides for both: where there are several readings, a change and its reverse have the same
		return reversed(d.runs(kind, newText, oldText, [2]string{markers[1], markers[0]}))
	}
	old, new := d.tokens(kind, oldText, markers[0]), d.tokens(kind, newText, markers[1])
	lines := content.ByLines(kind)
	var w writer
	i, j := 0, 0
	for _, h := range d.changes(old, new, lines) {
		for ; i < h.A; i, j = i+1, j+1 {
			w.equal(old[i], new[j])
		}
		i, j = w.hunk(h, old, new)
	}
	for ; i < len(old); i, j = i+1, j+1 {
		w.equal(old[i], new[j])
	}
	w.settle()
	w.flush()
	return w.runs
}

// reversed are the runs of the opposite change.
func reversed(runs []api.TextRun) []api.TextRun {
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

// whole is a text with one fate.
func whole(change api.TextChange, text string) []api.TextRun {
	if text == "" {
		return []api.TextRun{}
	}
	return []api.TextRun{{Change: change, Text: text}}
}

// equal writes a token that both texts have.
func (w *writer) equal(old, new token) {
	w.space(old, new)
	w.pair(old.text, new.text, true)
}

// space writes the white space before two tokens. Where it is an indent that
// changed, the line ends before it are the same.
func (w *writer) space(old, new token) {
	alike := old.space == new.space
	if at := strings.LastIndexByte(old.lead, '\n') + 1; !alike && strings.HasPrefix(new.lead, old.lead[:at]) && !strings.Contains(new.lead[at:], "\n") {
		w.same(old.lead[:at])
		old.lead, new.lead = old.lead[at:], new.lead[at:]
	}
	w.pair(old.lead, new.lead, alike)
}

// pair writes what stands at one place in both texts: the same, or only looking
// the same, or different.
func (w *writer) pair(old, new string, alike bool) {
	if old == new {
		w.same(old)
		return
	}
	w.change(old, new, alike)
}

func (w *writer) same(text string) {
	if text == "" {
		return
	}
	w.flush()
	w.common.WriteString(text)
}

// settle writes what both have, before something else.
func (w *writer) settle() {
	if w.common.Len() > 0 {
		w.runs = append(w.runs, api.TextRun{Change: api.TextSame, Text: w.common.String()})
		w.common.Reset()
	}
}

func (w *writer) change(old, new string, formatting bool) {
	if w.formatting != formatting {
		w.flush()
		w.formatting = formatting
	}
	if old != "" || new != "" {
		w.settle()
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

// hunk writes a change, with the white space around it, and returns the tokens to
// go on with. The white space before the token behind the change belongs to it
// where one side has nothing else there: which of the two it is the same as
// decides where the change begins.
func (w *writer) hunk(h align.Hunk, old, new []token) (i, j int) {
	next, then := old[h.AEnd], new[h.BEnd]
	switch {
	case h.A == h.AEnd && (next.space == new[h.B].space || next.space != then.space):
		w.space(next, new[h.B])
		w.change("", inner(new[h.B:h.BEnd])+then.lead, false)
	case h.B == h.BEnd && (then.space == old[h.A].space || next.space != then.space):
		w.space(old[h.A], then)
		w.change(inner(old[h.A:h.AEnd])+next.lead, "", false)
	case h.A == h.AEnd:
		w.change("", outer(new[h.B:h.BEnd]), false)
		w.space(next, then)
	case h.B == h.BEnd:
		w.change(outer(old[h.A:h.AEnd]), "", false)
		w.space(next, then)
	default:
		w.space(old[h.A], new[h.B])
		w.change(inner(old[h.A:h.AEnd]), inner(new[h.B:h.BEnd]), false)
		w.space(next, then)
	}
	w.pair(next.text, then.text, true)
	return h.AEnd + 1, h.BEnd + 1
}

// outer is the text of tokens with the white space before them.
func outer(list []token) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.lead)
		b.WriteString(t.text)
	}
	return b.String()
}

// inner is outer without the white space before the first.
func inner(list []token) string {
	return strings.TrimPrefix(outer(list), list[0].lead)
}
