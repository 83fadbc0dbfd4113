package merge

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"strconv"
	"strings"
)

// Kinds of conflicts.
const (
	KindText      = "text"      // both sides edited the same sentence or line of a block
	KindInserted  = "inserted"  // both sides inserted different blocks behind Block ("" = at the top)
	KindDeleted   = "deleted"   // one side deleted the page or block that the other changed or built upon
	KindMoved     = "moved"     // both sides moved the page or block, to different places
	KindOrder     = "order"     // both sides reordered the page among its siblings, differently
	KindAttribute = "attribute" // both sides changed Attribute of the page
	KindSlug      = "slug"      // two siblings of the result have the same slug
	KindCycle     = "cycle"     // the moves of both sides put pages under each other
	KindFile      = "file"      // both sides changed the file Key
	KindVariable  = "variable"  // both sides changed the variable Key
)

// Conflict is one thing that the two sides changed differently. The values are
// what the kind is about: the text of a block, the value of an attribute as
// JSON, the id of the parent page (moved, cycle) or of the block before (moved
// block; "" = the first), an order key, or for a deleted page its entry as JSON.
// A nil value means absent on that side. Proposed is what the result holds until
// the conflict is resolved; for texts it keeps the words of both sides.
type Conflict struct {
	ID        string  `json:"id"` // derived from the rest; names the conflict in a resolution
	Kind      string  `json:"kind"`
	Page      string  `json:"page,omitzero"`
	Block     string  `json:"block,omitzero"`
	Attribute string  `json:"attribute,omitzero"`
	Key       string  `json:"key,omitzero"`
	Base      *string `json:"base"`
	Ours      *string `json:"ours"`
	Theirs    *string `json:"theirs"`
	Proposed  *string `json:"proposed"`
}

// Resolutions are chosen values by conflict id; a nil value means absent (delete
// it). A conflict with a resolution is applied and not reported.
type Resolutions map[string]*string

// ledger collects conflicts and applies resolutions.
type ledger struct {
	resolutions Resolutions
	conflicts   []Conflict
	alike       map[string]int // how many conflicts were about the same
}

func newLedger(resolutions Resolutions) *ledger {
	return &ledger{resolutions: resolutions, alike: map[string]int{}}
}

// settle gives the conflict its id and answers the value to go on with: the
// resolution where there is one, else the proposal of the now recorded conflict.
func (l *ledger) settle(c Conflict) *string {
	c.ID = l.newID(c)
	if value, ok := l.resolutions[c.ID]; ok {
		return value
	}
	l.conflicts = append(l.conflicts, c)
	return c.Proposed
}

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// An id tells in its parts the page, the thing on the page, and the values: conflicts that come in the place of another
// one, because both sides have gone on or it has been split, share its first parts. The values have as many bits as keep
// anybody from making two that are taken for one another.
const (
	pageBytes, thingBytes, valueBytes = 5, 5, 10

	idPrefix = "c_"
	partSize = 8 // letters of the page, and of the thing
)

// newID derives an id from what the conflict is about, proposal excluded; equal
// conflicts of one merge are numbered.
func (l *ledger) newID(c Conflict) string {
	c.ID, c.Proposed = "", nil
	encoded, _ := json.Marshal(c) // strings and pointers to strings always encode
	about := string(encoded)
	n := l.alike[about]
	l.alike[about]++
	return idPrefix + digest(pageBytes, c.Page) + digest(thingBytes, c.thing()) + digest(valueBytes, about+strconv.Itoa(n))
}

func digest(size int, text string) string {
	sum := sha256.Sum256([]byte(text))
	return lowerBase32.EncodeToString(sum[:size])
}

// thing is what of its page the conflict is about.
func (c Conflict) thing() string {
	switch {
	case c.Attribute != "":
		return KindAttribute + c.Attribute
	case c.Key != "":
		return c.Kind + c.Key
	case c.Block != "":
		return c.Block
	case c.Kind == KindText || c.Kind == KindInserted:
		return KindText
	}
	return KindMoved // where the page stands, or whether it does
}

// InPlaceOf returns the conflicts that stand where the one with an id stood: those about the same thing, or else the same
// page. The server names them to who answers a conflict that is not there any more.
func InPlaceOf(id string, conflicts []Conflict) (found []Conflict) {
	for _, size := range []int{2 * partSize, partSize} {
		if len(id) != len(idPrefix)+4*partSize {
			return nil
		}
		begin := id[:len(idPrefix)+size]
		for _, c := range conflicts {
			if strings.HasPrefix(c.ID, begin) && (c.Page != "" || size > partSize) {
				found = append(found, c)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// three is the three-way rule for one value: the side that changed it wins. It
// answers false where both changed it differently.
func three[T comparable](base, ours, theirs T) (T, bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return ours, false
}
