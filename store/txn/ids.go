package txn

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"strings"
	"sync"
	"time"

	"docspace.dev/wsd/store/redis"
)

// IDGenerator generates identifiers: a prefix and 14 characters of lower-case Crockford base32, 8 for the milliseconds since
// 2020-01-01 and 6 random. Identifiers of one generator are strictly increasing, so those of one kind sort by age.
type IDGenerator interface {
	New(prefix string) string
}

const (
	crockford = "0123456789abcdefghjkmnpqrstvwxyz"
	timeSize  = 8                   // characters for the milliseconds
	bodySize  = timeSize + 6        // characters after the prefix
	randomMax = 1<<(5*6) - 1        // the six random characters
	timeMax   = 1<<(5*timeSize) - 1 // lasts until 2054
)

// IDEpoch is time zero of the identifiers, in Unix milliseconds.
var IDEpoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

type generator struct {
	clock  redis.Clock
	random io.Reader

	mu   sync.Mutex
	last uint64 // milliseconds << 30 | random
}

// NewIDGenerator returns a generator that uses the random source of the operating system.
func NewIDGenerator(clock redis.Clock) IDGenerator { return NewIDGeneratorFrom(clock, rand.Reader) }

// NewIDGeneratorFrom returns a generator that uses a random source, which must not fail. The same source and clock yield the same
// identifiers.
func NewIDGeneratorFrom(clock redis.Clock, random io.Reader) IDGenerator {
	return &generator{clock: clock, random: random}
}

// New implements IDGenerator.
func (g *generator) New(prefix string) string {
	var noise [4]byte
	g.mu.Lock()
	defer g.mu.Unlock()
	// Both readers are documented never to fail.
	_, _ = io.ReadFull(g.random, noise[:]) // never fails
	millis := min(max(g.clock().UnixMilli()-IDEpoch, 0), timeMax)
	next := uint64(millis)<<30 | uint64(binary.LittleEndian.Uint32(noise[:])&randomMax)
	if next <= g.last {
		next = g.last + 1
	}
	g.last = next
	return prefix + encodeBody(next)
}

// FirstID returns an id that is not greater than any that is made from a time on by a clock that is right.
func FirstID(prefix string, from time.Time) string {
	millis := min(max(from.UnixMilli()-IDEpoch, 0), timeMax)
	return prefix + encodeBody(uint64(millis)<<30)
}

// encodeBody encodes 70 bits as bodySize base32 characters, most significant first.
func encodeBody(n uint64) string {
	var body [bodySize]byte
	for i := bodySize - 1; i >= 0; i-- {
		body[i] = crockford[n&31]
		n >>= 5
	}
	return string(body[:])
}

// Prefixes of identifiers, which identify the resource type of an access entry. Identifiers of spaces and collections
// contain the body of their home organization's identifier, so that the shard of a request can be derived from a
// space alone.
const (
	OrganizationPrefix = "o_"
	UserPrefix         = "u_"
	SpacePrefix        = "s_"
	CollectionPrefix   = "l_"
	SitePrefix         = "site_"
	ShareLinkPrefix    = "link_"
)

// HomePrefix returns the prefix for identifiers of a kind (SpacePrefix or CollectionPrefix) whose home is the
// organization: tx.NewID(HomePrefix(...)).
func HomePrefix(kind, organization string) string {
	return kind + strings.TrimPrefix(organization, OrganizationPrefix)
}

// HomeOrganization returns the organization in which a space or collection was created, which is part of its
// identifier; ok is false for other identifiers.
func HomeOrganization(id string) (organization string, ok bool) {
	body, found := strings.CutPrefix(id, SpacePrefix)
	if !found {
		body, found = strings.CutPrefix(id, CollectionPrefix)
	}
	if !found || len(body) != 2*bodySize || strings.Trim(body, crockford) != "" {
		return "", false
	}
	return OrganizationPrefix + body[:bodySize], true
}
