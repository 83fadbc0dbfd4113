package txn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/store/redis"
)

// The use of an organization is what is stored of it: its records, the content
// of its spaces and specifications (see sizes.go), and the answers that are kept
// for repeated requests. Indexes, events and access entries come on top and are not
// counted.
//
// It lies in one HASH that only the commit script changes, in the step that
// changes what it counts: the sizes of records are known from the versions that
// the commit checks, the size of a space comes from the script that stored the
// objects. So it needs no trip, and it is never wrong by what was cut off:
//
//	bytes    of records, content and kept answers
//	records  how many
//	writes   how often the script changed the HASH: a count that took its time holds if nobody did
//	counted  1 once all that was stored before there was a count is in it; before, nothing is refused
//	<space>  size of the content of a space or specification, as of the last commit that changed it

// Quota is how much an organization may store.
type Quota struct {
	Bytes   int64 // 0 = no limit
	Records int64 // 0 = no limit
	// Change is by how many bytes a transaction may make larger what is there
	// when the quota is used up: a state, a role, a place may change. It adds no
	// record, no content and no text all the same.
	Change int64
}

// Exceeded is the error of an Update that would store more than the quota of the
// organization. Nothing was written.
type Exceeded struct {
	What  string // "bytes" or "records"
	Limit int64
	Use   int64 // before
}

// Error implements error.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("store: the organization uses %d %s of %d", e.Use, e.What, e.Limit)
}

// errNoRoom says that objects have no room in the quota.
var errNoRoom = errors.New("store: no room for objects")

// UseKey is the HASH of the use of an organization.
func UseKey(org string) redis.Key { return organization(org).Key(redis.HashKind, "use") }

// AnswersKey is the HASH of the bytes of kept answers by the hour.
func AnswersKey(s redis.Shard) redis.Key { return s.Key(redis.HashKind, "answers") }

// QuotaKey is the HASH of an organization's own limits.
func QuotaKey(org string) redis.Key { return organization(org).Key(redis.HashKind, "quota") }

// The fields of the use and of the quota.
const (
	FieldBytes   = "bytes"
	FieldRecords = "records"
	FieldWrites  = "writes"
	FieldCounted = "counted"
)

// held is the size of the content of a space as a commit writes it to the use, ""
// = none any more.
type held struct{ space, size string }

// HoldContent counts the content of a space here, exactly as it is: what was
// copied or has come from elsewhere.
func (tx *Tx) HoldContent(space string) error {
	size, err := tx.store.Size(tx.ctx, space)
	if err == nil {
		tx.hold(space, size.String())
	}
	return err
}

// ReleaseContent counts the content of a space here no more.
func (tx *Tx) ReleaseContent(space string) { tx.hold(space, "") }

func (tx *Tx) hold(space, size string) {
	if !redis.ValidID(space) {
		tx.fail("size of %q", space)
		return
	}
	tx.held = append(slices.DeleteFunc(tx.held, func(h held) bool { return h.space == space }), held{space, size})
}

// Adds says that the transaction adds something that somebody made, however
// little: there is no allowance for it (see Quota.Change).
func (tx *Tx) Adds() { tx.adds = true }

// counted reports whether there is a use of the shard.
func counted(s redis.Shard) bool { return strings.HasPrefix(s.Tag(), "{"+OrganizationPrefix) }

// growth is what the transaction's writes of records change. Each record that is
// written was read, and the commit checks that it is still as it was.
func (tx *Tx) growth() (bytes, records int64) {
	for _, w := range tx.writes {
		if w.key.Kind() != redis.RecordKind {
			continue
		}
		old := tx.reads[w.key]
		bytes -= int64(old.size)
		switch {
		case w.opcode == "P":
			bytes += int64(len(w.args[0].([]byte)))
			if !old.Present {
				records++
			}
		case old.Present:
			records--
		}
	}
	return bytes, records
}

// born reports whether the transaction makes the organization: then all that is
// stored of it is counted from the first byte.
func (tx *Tx) born() bool {
	key := tx.shard.Key(redis.RecordKind, "org")
	return tx.records[key].Present && !tx.reads[key].Present
}

// account makes the part of the program that is about the use. answer and short
// are the sizes of the answer that is kept, and of the one that is kept when the
// quota is used up.
func (u *update) account(tx *Tx, p *program, answer, short int) {
	if !counted(u.shard) {
		return
	}
	bytes, records := tx.growth()
	if bytes == 0 && records == 0 && answer == 0 && len(tx.held)+len(tx.before.spaces) == 0 {
		return
	}
	quota, slack := u.store.quota, ""
	if u.options.Charged {
		slack = strconv.FormatInt(quota.Change, 10)
		if tx.adds {
			slack = "0"
		}
	}
	born := 0
	if tx.born() {
		born = 1
	}
	p.use = []any{
		p.number(u.shard.Key(redis.HashKind, "use")), p.number(u.shard.Key(redis.HashKind, "quota")), p.number(AnswersKey(u.shard)),
		hourOf(tx.now), quota.Bytes, quota.Records, slack, born, bytes, records, answer, short, 0,
	}
	p.held = tx.held
}

// useContent is where the bytes of content that a dry run would store stand.
const useContent = 12

// prepared completes the account by what the preparation stored, or would have.
func (p *program) prepared(done *preparation) {
	if p.use == nil {
		return
	}
	p.use[useContent] = done.would
	p.sizes = slices.Concat(p.held, done.sizes)
}

// hourOf is the hour of a time, since 1970.
func hourOf(t time.Time) int64 { return t.Unix() / int64(time.Hour/time.Second) }

// roomKeys are read with the first GC epoch of a space that the transaction reads:
// whoever stores objects needs to know how much room there is for them, and it
// costs no trip then.
func (tx *Tx) roomKeys(wanted []redis.Key) []redis.Key {
	if !tx.charged || tx.roomKnown || !counted(tx.shard) {
		return nil
	}
	gcEpochs := tx.shard.Key(redis.HashKind, "epochs")
	if !slices.ContainsFunc(wanted, func(k redis.Key) bool { return k.Whole() == gcEpochs }) {
		return nil
	}
	tx.roomKnown = true
	use := tx.shard.Key(redis.HashKind, "use")
	return []redis.Key{use.Field(FieldCounted), use.Field(FieldBytes), tx.shard.Key(redis.HashKind, "quota").Field(FieldBytes)}
}

// setRoom takes over what was read of roomKeys.
func (tx *Tx) setRoom(values []Reading) {
	if len(values) == 0 || !values[0].Present {
		return
	}
	limit := tx.store.quota.Bytes
	if values[2].Present {
		limit = Number(values[2].Text)
	}
	if limit == 0 {
		return
	}
	tx.use = Number(values[1].Text)
	room := max(limit-tx.use, 0)
	tx.before.room, tx.before.limit = &room, limit
}

// Number reads a count that is stored; what is none is 0.
func Number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// noteTime is how long a failed Update may take to say what it stored.
const noteTime = 2 * time.Second

// note counts objects that an Update stored and did not commit: they are there,
// although nothing refers to them.
func (s *Store) note(ctx context.Context, shard redis.Shard, sizes map[string]string) {
	if len(sizes) == 0 || !counted(shard) {
		return
	}
	ctx, cancel := context.WithTimeout(untraced(context.WithoutCancel(ctx)), noteTime)
	defer cancel()
	err := s.Update(ctx, shard, UpdateOptions{}, func(tx *Tx) error {
		for space, size := range sizes {
			tx.hold(space, size)
		}
		return nil
	})
	if err != nil { // the next commit that stores something there says it
		s.Logger.Warn("what was stored in vain is not counted yet", "spaces", slices.Sorted(maps.Keys(sizes)), "error", err)
	}
}

// Use is how much an organization stores, and its limits.
type Use struct {
	Bytes, Records int64
	Counted        bool  // false: what was stored before there was a count is not in it yet
	Quota          Quota // in force

	OwnBytes, OwnRecords bool // whether the limit is the organization's own
}

// Use reads the use of an organization.
func (b *Batch) Use(org string) *Reply[Use] {
	reply := &Reply[Use]{}
	use := b.Fields(UseKey(org), FieldBytes, FieldRecords, FieldCounted)
	quota, kept := b.Fields(QuotaKey(org), FieldBytes, FieldRecords), b.HashAll(AnswersKey(organization(org)))
	hour := hourOf(b.Store.Now())
	b.settle = append(b.settle, func() {
		fields, limits, answers := use.value, quota.value, kept.value
		u := Use{
			Bytes: Number(fields[FieldBytes]), Records: Number(fields[FieldRecords]), Counted: fields[FieldCounted] != "",
			Quota: b.Store.quota,
		}
		for field, bytes := range answers {
			if gone(Number(field), hour) {
				u.Bytes -= Number(bytes)
			}
		}
		if text, ok := limits[FieldBytes]; ok {
			u.Quota.Bytes, u.OwnBytes = Number(text), true
		}
		if text, ok := limits[FieldRecords]; ok {
			u.Quota.Records, u.OwnRecords = Number(text), true
		}
		reply.settle(u, true)
	})
	return reply
}

// gone reports whether the answers that were saved in an hour have expired; those
// of a clock that was ahead have, too.
func gone(saved, now int64) bool { return saved <= now-25 || saved > now+1 }

// Admits says whether so much more fits into the quota: nil, or *Exceeded. It is
// for what is stored in several steps; a transaction is held to the quota by
// UpdateOptions.Charged.
func (u Use) Admits(bytes, records int64) error {
	switch {
	case !u.Counted:
		return nil
	case bytes > 0 && u.Quota.Bytes > 0 && u.Bytes+bytes > u.Quota.Bytes:
		return &Exceeded{What: FieldBytes, Limit: u.Quota.Bytes, Use: u.Bytes}
	case records > 0 && u.Quota.Records > 0 && u.Records+records > u.Quota.Records:
		return &Exceeded{What: FieldRecords, Limit: u.Quota.Records, Use: u.Records}
	}
	return nil
}

// readExceeded reads the script's refusal: what, limit, use.
func readExceeded(reply []any) (*Exceeded, bool) {
	if len(reply) != 4 {
		return nil, false
	}
	what, _ := reply[1].(string)
	limit, _ := reply[2].(string)
	use, _ := reply[3].(string)
	return &Exceeded{What: what, Limit: Number(limit), Use: Number(use)}, what != ""
}
