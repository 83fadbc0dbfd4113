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
	KindInserted  = "inserted"  // both sides inserted different blocks after Block ("" = at the top)
	KindDeleted   = "deleted"   // one side deleted the page or block that the other changed or built upon
	KindMoved     = "moved"     // both sides moved the page or block, to different positions
	KindOrder     = "order"     // both sides reordered the page among its siblings, differently
	KindAttribute = "attribute" // both sides changed Attribute of the page
	KindSlug      = "slug"      // two siblings of the result have the same slug
	KindCycle     = "cycle"     // together, the moves of both sides form a cycle of pages
	KindFile      = "file"      // both sides changed the file Key
	KindVariable  = "variable"  // both sides changed the variable Key
)

// Conflict is a value that the two sides changed differently. The values depend on the kind: the text of a block, the
// value of an attribute as JSON, the id of the parent page (moved, cycle) or of the preceding block (moved block; ""
// = the first), an order key, or for a deleted page its entry as JSON. A nil value means absent on that side.
// Proposed is used in the result until the conflict is resolved; for texts it keeps the words of both sides.
type Conflict struct {
	ID        string  `json:"id"` // derived from the other fields; identifies the conflict in a resolution
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

// Resolutions maps conflict ids to chosen values; nil means absent (delete). A conflict with a resolution is applied
// and not reported.
type Resolutions map[string]*string

// ledger collects conflicts and applies resolutions.
type ledger struct {
	resolutions Resolutions
	conflicts   []Conflict
	counts      map[string]int // number of conflicts by identity, see newID
}

func newLedger(resolutions Resolutions) *ledger {
	return &ledger{resolutions: resolutions, counts: map[string]int{}}
}

// resolve sets the id of a conflict and returns its resolution. Without a resolution it records the conflict and
// returns the proposed value.
func (l *ledger) resolve(c Conflict) *string {
	c.ID = l.newID(c)
	if value, ok := l.resolutions[c.ID]; ok {
		return value
	}
	l.conflicts = append(l.conflicts, c)
	return c.Proposed
}

var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// A conflict id is composed of hashes of the page, the subject within the page, and the values. A conflict that
// replaces an earlier one, because the sides changed or it was split, shares the leading parts with it. The hash of
// the values is long enough to prevent deliberate collisions.
const (
	pageBytes, subjectBytes, valueBytes = 5, 5, 10

	idPrefix = "c_"
	partSize = 8 // letters of the hash of the page, and of the subject
)

// newID derives an id from all fields but the proposal; equal conflicts of one merge are numbered.
func (l *ledger) newID(c Conflict) string {
	c.ID, c.Proposed = "", nil
	encoded, _ := json.Marshal(c) // strings and pointers to strings always encode
	about := string(encoded)
	n := l.counts[about]
	l.counts[about]++
	return idPrefix + digest(pageBytes, c.Page) + digest(subjectBytes, c.subject()) + digest(valueBytes, about+strconv.Itoa(n))
}

func digest(size int, text string) string {
	sum := sha256.Sum256([]byte(text))
	return lowerBase32.EncodeToString(sum[:size])
}

// subject returns an identifier of the part of the page that the conflict is about.
func (c Conflict) subject() string {
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
	return KindMoved // position or existence of the page
}

// Successors returns the conflicts that replace the one with the given id: those with the same subject, or else those
// of the same page. The server reports them when a resolution refers to a conflict that no longer exists.
func Successors(id string, conflicts []Conflict) (found []Conflict) {
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

// threeWay is the three-way rule for one value: the changed side wins. It returns ours and false if both changed it
// differently.
func threeWay[T comparable](base, ours, theirs T) (T, bool) {
	switch {
	case ours == theirs, theirs == base:
		return ours, true
	case ours == base:
		return theirs, true
	}
	return ours, false
}
