package review

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/merge"
)

// describeOneSided describes a passage that only one side changed, and reports false if both did. Such a passage is a
// conflict because the other side has the same text in another position: a plain merge would duplicate or drop it.
func (d *describer) describeOneSided(desc *description, c merge.Conflict, noun string) bool {
	side, value := 0, c.Ours
	switch {
	case equalValues(c.Theirs, c.Base):
	case equalValues(c.Ours, c.Base):
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
	who, other := d.Names[side], d.Names[1-side]
	desc.Summary = toSentence(who+" "+did+" this "+noun) + " " + toSentence(other+" did not, but changed where the same words stand")
	sides := [2]*api.ConflictSide{&desc.Ours, &desc.Theirs}
	if c.Base == nil {
		sides[1-side].Value = "Not here."
	}
	effects := [2]string{}
	effects[side], effects[1-side] = "The "+noun+" "+stays+who, "The "+noun+" "+goes+", as in "+other
	desc.addAnswer(api.TakeOurs, effects[0])
	desc.addAnswer(api.TakeTheirs, effects[1])
	desc.addAnswer(api.TakeText, "What you write is used instead")
	return true
}

// equalValues reports whether two values are equal; absent values are equal to each other only.
func equalValues(a, b *string) bool {
	return (a == nil) == (b == nil) && valueText(a) == valueText(b)
}
