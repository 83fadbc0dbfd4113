package txn

import (
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Position says where an item goes in an order. Before and After are members
// (Member(order, id)); both empty means the end, both given must be adjacent.
// Self is the item's present member of the same order, if it has one.
type Position struct {
	Before string
	After  string
	Self   string
}

// neighbours is one place of the read set: between left and right (empty = the
// end) there is nothing but self.
type neighbours struct {
	children          redis.Key
	left, right, self string
}

// Neighbours reads the two members next to a position (empty at the ends) and
// makes them part of the read set. It is ErrNoSibling if a member that the
// position names is gone, ErrNotAdjacent if it names two that are apart.
func (tx *Tx) Neighbours(children redis.Key, at Position) (left, right string, err error) {
	if !tx.Owns(children, redis.OrderKind) {
		return "", "", tx.err
	}
	for _, place := range tx.places {
		if place.children == children {
			return "", "", redis.Misuse("two places in %q", children)
		}
	}
	if at.Self != "" && (at.Self == at.Before || at.Self == at.After) {
		return "", "", ErrNoSibling
	}
	tx.trips++
	left, right, err = tx.store.neighbours(tx, children, at)
	if err != nil {
		return "", "", err
	}
	tx.places = append(tx.places, neighbours{children, left, right, at.Self})
	return left, right, nil
}

// Place returns the order key that puts an item at the position. The caller
// adds Member(key, id) to children, and removes Self.
func (tx *Tx) Place(children redis.Key, at Position) (order string, err error) {
	left, right, err := tx.Neighbours(children, at)
	if err != nil {
		return "", err
	}
	low, _, _ := SplitMember(left)
	high, _, _ := SplitMember(right)
	return Between(low, high)
}

// neighbours reads the two members next to a position in one trip.
func (s *Store) neighbours(tx *Tx, children redis.Key, at Position) (left, right string, err error) {
	key, pipe := s.Name(children), s.Client.Pipeline()
	exists := make(map[string]*goredis.FloatCmd)
	for _, member := range []string{at.Before, at.After} {
		if member != "" {
			exists[member] = pipe.ZScore(tx.ctx, key, member)
		}
	}
	below := goredis.ZRangeBy{Min: "-", Max: "+", Count: 2}
	if at.Before != "" {
		below.Max = "(" + at.Before
	}
	above := goredis.ZRangeBy{Min: "(" + at.After, Max: "+", Count: 2}
	lower := pipe.ZRevRangeByLex(tx.ctx, key, &below)
	var upper *goredis.StringSliceCmd
	if at.After != "" {
		upper = pipe.ZRangeByLex(tx.ctx, key, &above)
	}
	if err := redis.Execute(tx.ctx, "place", pipe); err != nil {
		return "", "", err
	}
	for _, score := range exists {
		if score.Err() != nil {
			return "", "", ErrNoSibling
		}
	}
	left, right = firstBut(lower.Val(), at.Self), at.Before
	if upper != nil {
		left, right = at.After, firstBut(upper.Val(), at.Self)
	}
	if at.Before != "" && at.After != "" && right != at.Before {
		return "", "", ErrNotAdjacent
	}
	return left, right, nil
}

// firstBut returns the first member that is not self, or "".
func firstBut(members []string, self string) string {
	members = slices.DeleteFunc(slices.Clone(members), func(m string) bool { return m == self })
	if len(members) == 0 {
		return ""
	}
	return members[0]
}

// ReadOrder reads a whole order and makes all of it part of the read set: every two
// members have to be neighbours still.
func (tx *Tx) ReadOrder(children redis.Key) ([]string, error) {
	if !tx.Owns(children, redis.OrderKind) {
		return nil, tx.err
	}
	redis.FailBefore("respread")
	members, err := tx.store.Client.ZRange(tx.ctx, tx.store.Name(children), 0, -1).Result()
	redis.FailAfter("respread")
	if err != nil {
		return nil, redis.Wrap(tx.ctx, err)
	}
	left := ""
	for _, member := range append(members, "") {
		tx.places = append(tx.places, neighbours{children: children, left: left, right: member})
		left = member
	}
	return members, nil
}
