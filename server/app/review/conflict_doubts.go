package review

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/merge"
)

// oneSided puts a passage in words that one side alone changed, and answers false where both did. It is a conflict as the
// other side has the same words in another place: a merge of both would have them twice, or nowhere.
func (t *teller) oneSided(w *told, c merge.Conflict, noun string) bool {
	side, value := 0, c.Ours
	switch {
	case same(c.Theirs, c.Base):
	case same(c.Ours, c.Base):
		side, value = 1, c.Theirs
	default:
		return false
	}
	did, stays, goes := "changed", "reads as in ", "reads as it did before"
	switch {
	case c.Base == nil:
		did, stays, goes = "added", "is there, as in ", "is not there"
	case value == nil:
		did, stays, goes = "took out", "is left out, as in ", "stays here"
	}
	who, other := t.Names[side], t.Names[1-side]
	w.Summary = sentence(who+" "+did+" this "+noun) + " " + sentence(other+" did not, but changed where the same words stand")
	sides := [2]*api.ConflictSide{&w.Ours, &w.Theirs}
	if c.Base == nil {
		sides[1-side].Value = "Not here."
	}
	effects := [2]string{}
	effects[side], effects[1-side] = "The "+noun+" "+stays+who, "The "+noun+" "+goes+", as in "+other
	w.answer(api.TakeOurs, effects[0])
	w.answer(api.TakeTheirs, effects[1])
	w.answer(api.TakeText, "What you write is used instead")
	return true
}

// same reports whether two values are equal, absent ones included.
func same(a, b *string) bool {
	return (a == nil) == (b == nil) && valueText(a) == valueText(b)
}
