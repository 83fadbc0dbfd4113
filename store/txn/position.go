package txn

import (
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Position is a target position in an order. Before and After are members (OrderMember(order, id)): if both are empty the
// position is the end, if both are set they must be adjacent. Self is the item's current member of the order, if any.
type Position struct {
	Before string
	After  string
	Self   string
}

// adjacency is an entry of the read set: only self is between left and right (empty = the end).
type adjacency struct {
	children          redis.Key
	left, right, self string
}

// Neighbours returns the two members next to a position (empty at the ends) and adds them to the read set. It returns
// ErrNoSibling if a member of the position does not exist and ErrNotAdjacent if its two members are not adjacent.
func (tx *Tx) Neighbours(children redis.Key, pos Position) (left, right string, err error) {
	if !tx.Owns(children, redis.OrderKind) {
		return "", "", tx.err
	}
	for _, a := range tx.adjacencies {
		if a.children == children {
			return "", "", redis.Misuse("two places in %q", children)
		}
	}
	if pos.Self != "" && (pos.Self == pos.Before || pos.Self == pos.After) {
		return "", "", ErrNoSibling
	}
	tx.trips++
	left, right, err = tx.store.readNeighbours(tx, children, pos)
	if err != nil {
		return "", "", err
	}
	tx.adjacencies = append(tx.adjacencies, adjacency{children, left, right, pos.Self})
	return left, right, nil
}

// OrderKey returns the order key of an item at the position. The caller adds OrderMember(key, id) to children and removes
// Self.
func (tx *Tx) OrderKey(children redis.Key, pos Position) (order string, err error) {
	left, right, err := tx.Neighbours(children, pos)
	if err != nil {
		return "", err
	}
	low, _, _ := SplitOrderMember(left)
	high, _, _ := SplitOrderMember(right)
	return KeyBetween(low, high)
}

// readNeighbours reads the two members next to a position in one trip.
func (s *Store) readNeighbours(tx *Tx, children redis.Key, pos Position) (left, right string, err error) {
	key, pipe := s.Name(children), s.Client.Pipeline()
	exists := make(map[string]*goredis.FloatCmd)
	for _, member := range []string{pos.Before, pos.After} {
		if member != "" {
			exists[member] = pipe.ZScore(tx.ctx, key, member)
		}
	}
	below := goredis.ZRangeBy{Min: "-", Max: "+", Count: 2}
	if pos.Before != "" {
		below.Max = "(" + pos.Before
	}
	above := goredis.ZRangeBy{Min: "(" + pos.After, Max: "+", Count: 2}
	lower := pipe.ZRevRangeByLex(tx.ctx, key, &below)
	var upper *goredis.StringSliceCmd
	if pos.After != "" {
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
	left, right = firstExcept(lower.Val(), pos.Self), pos.Before
	if upper != nil {
		left, right = pos.After, firstExcept(upper.Val(), pos.Self)
	}
	if pos.Before != "" && pos.After != "" && right != pos.Before {
		return "", "", ErrNotAdjacent
	}
	return left, right, nil
}

// firstExcept returns the first member other than self, or "".
func firstExcept(members []string, self string) string {
	members = slices.DeleteFunc(slices.Clone(members), func(m string) bool { return m == self })
	if len(members) == 0 {
		return ""
	}
	return members[0]
}

// ReadOrder returns all members of an order. It adds every adjacent pair to the read set.
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
		tx.adjacencies = append(tx.adjacencies, adjacency{children: children, left: left, right: member})
		left = member
	}
	return members, nil
}
