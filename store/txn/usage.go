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

// The usage of an organization is the size of its stored data: records, the content of its spaces and specifications
// (see sizes.go), and saved answers to idempotent requests. Indexes, events and access entries are not counted.
//
// It is one HASH that only the commit script changes, atomically with the data that it counts: the sizes of records
// follow from the versions that the commit checks, the size of a space is returned by the script that stored the
// objects. It needs no trip and stays exact after interrupted operations:
//
// 	bytes    bytes of records, content and saved answers
// 	records  number of records
// 	writes   number of changes of the HASH: a long count is valid if it did not change
// 	counted  1 after all older data was counted; before, nothing is refused
// 	<space>  content size of a space or specification as of the last commit that changed it

// Quota limits the stored data of an organization.
type Quota struct {
	Bytes   int64 // 0 = no limit
	Records int64 // 0 = no limit
	// Allowance is the number of bytes by which a transaction may enlarge existing data when the quota is exhausted, so
	// that states, roles and positions can still change. It does not permit new records, content or text.
	Allowance int64
}

// QuotaError is the error of an Update that would exceed the quota of the organization. Nothing was written.
type QuotaError struct {
	Resource string // "bytes" or "records"
	Limit    int64
	Usage    int64 // before the update
}

// Error implements error.
func (e *QuotaError) Error() string {
	return fmt.Sprintf("store: the organization uses %d %s of %d", e.Usage, e.Resource, e.Limit)
}

// errQuotaExhausted is returned if objects do not fit into the quota.
var errQuotaExhausted = errors.New("store: objects exceed the quota")

// UsageKey returns the key of the HASH of an organization's usage.
func UsageKey(org string) redis.Key { return organizationShard(org).Key(redis.HashKind, "use") }

// AnswersKey returns the key of the HASH of the bytes of saved answers per hour.
func AnswersKey(s redis.Shard) redis.Key { return s.Key(redis.HashKind, "answers") }

// QuotaKey returns the key of the HASH of limits set for one organization.
func QuotaKey(org string) redis.Key { return organizationShard(org).Key(redis.HashKind, "quota") }

// Fields of the usage and of the quota.
const (
	FieldBytes   = "bytes"
	FieldRecords = "records"
	FieldWrites  = "writes"
	FieldCounted = "counted"

	// Fields of the quota that limit the event log of one organization.
	FieldEvents    = "events"
	FieldEventDays = "event-days"
)

// contentSize is the content size of a space that a commit writes to the usage; "" removes it.
type contentSize struct{ space, size string }

// AddContentUsage adds the current content size of a space to the usage of this organization, for content that was copied
// or transferred.
func (tx *Tx) AddContentUsage(space string) error {
	size, err := tx.store.Size(tx.ctx, space)
	if err == nil {
		tx.setContentSize(space, size.String())
	}
	return err
}

// ReserveContentUsage adds bytes to the usage of this organization for content that will be stored in a new space. The first
// AddContentUsage of the space replaces them.
func (tx *Tx) ReserveContentUsage(space string, bytes int64) {
	tx.setContentSize(space, Size{Bytes: bytes}.String())
}

// RemoveContentUsage removes the content of a space from the usage of this organization.
func (tx *Tx) RemoveContentUsage(space string) { tx.setContentSize(space, "") }

func (tx *Tx) setContentSize(space, size string) {
	if !redis.ValidID(space) {
		tx.fail("size of %q", space)
		return
	}
	tx.contentSizes = append(slices.DeleteFunc(tx.contentSizes, func(h contentSize) bool { return h.space == space }),
		contentSize{space, size})
}

// MarkAddsContent marks a transaction that adds user content of any size: the allowance of Quota.Allowance does not apply.
func (tx *Tx) MarkAddsContent() { tx.addsContent = true }

// countsUsage reports whether the usage of the shard is counted.
func countsUsage(s redis.Shard) bool { return strings.HasPrefix(s.Tag(), "{"+OrganizationPrefix) }

// growth returns the change in bytes and number of records. Each written record was read, and the commit checks that
// it is unchanged.
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

// createsOrganization reports whether the transaction creates the organization, whose usage is then complete from the start.
func (tx *Tx) createsOrganization() bool {
	key := tx.shard.Key(redis.RecordKind, "org")
	return tx.records[key].Present && !tx.reads[key].Present
}

// accountUsage adds the usage to the program. answer and short are the sizes of the saved answer and of its shortened
// form, which is saved when the quota is exhausted.
func (u *update) accountUsage(tx *Tx, p *program, answer, short int) {
	if !countsUsage(u.shard) {
		return
	}
	bytes, records := tx.growth()
	if bytes == 0 && records == 0 && answer == 0 && len(tx.contentSizes)+len(tx.preparation.spaces) == 0 {
		return
	}
	quota, slack := u.store.quota, ""
	if u.options.EnforceQuota {
		slack = strconv.FormatInt(quota.Allowance, 10)
		if tx.addsContent {
			slack = "0"
		}
	}
	born := 0
	if tx.createsOrganization() {
		born = 1
	}
	p.usage = []any{
		p.keyIndex(u.shard.Key(redis.HashKind, "use")), p.keyIndex(u.shard.Key(redis.HashKind, "quota")), p.keyIndex(AnswersKey(u.shard)),
		hourOf(tx.now), quota.Bytes, quota.Records, slack, born, bytes, records, answer, short, 0,
	}
	p.contentSizes = tx.contentSizes
}

// plannedContentArg is the index in program.usage of the content bytes that a dry run would store.
const plannedContentArg = 12

// addPreparation completes the usage with the bytes that the preparation stored, or would have stored.
func (p *program) addPreparation(done *preparation) {
	if p.usage == nil {
		return
	}
	p.usage[plannedContentArg] = done.plannedBytes
	p.sizes = slices.Concat(p.contentSizes, done.sizes)
}

// hourOf returns the number of hours since 1970.
func hourOf(t time.Time) int64 { return t.Unix() / int64(time.Hour/time.Second) }

// quotaKeys returns the keys of the remaining quota if wanted contains the first GC epoch of the transaction.
// Transactions that store objects need them, and reading both together saves a trip.
func (tx *Tx) quotaKeys(wanted []redis.Key) []redis.Key {
	if !tx.enforceQuota || tx.quotaKnown || !countsUsage(tx.shard) {
		return nil
	}
	gcEpochs := tx.shard.Key(redis.HashKind, "epochs")
	if !slices.ContainsFunc(wanted, func(k redis.Key) bool { return k.WithoutField() == gcEpochs }) {
		return nil
	}
	tx.quotaKnown = true
	use := tx.shard.Key(redis.HashKind, "use")
	return []redis.Key{use.Field(FieldCounted), use.Field(FieldBytes), tx.shard.Key(redis.HashKind, "quota").Field(FieldBytes)}
}

// setQuota sets the remaining quota from the values of quotaKeys.
func (tx *Tx) setQuota(values []Reading) {
	if len(values) == 0 || !values[0].Present {
		return
	}
	limit := tx.store.quota.Bytes
	if values[2].Present {
		limit = ParseCount(values[2].Text)
	}
	if limit == 0 {
		return
	}
	tx.usage = ParseCount(values[1].Text)
	available := max(limit-tx.usage, 0)
	tx.preparation.available, tx.preparation.limit = &available, limit
}

// ParseCount parses a stored count; anything else is 0.
func ParseCount(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// recordTimeout is the time limit for recording the objects stored by a failed Update.
const recordTimeout = 2 * time.Second

// recordUncommitted adds objects that an Update stored without a commit to the usage: they occupy space although nothing refers to
// them.
func (s *Store) recordUncommitted(ctx context.Context, shard redis.Shard, sizes map[string]string) {
	if len(sizes) == 0 || !countsUsage(shard) {
		return
	}
	ctx, cancel := context.WithTimeout(WithoutTrace(context.WithoutCancel(ctx)), recordTimeout)
	defer cancel()
	err := s.Update(ctx, shard, UpdateOptions{}, func(tx *Tx) error {
		for space, size := range sizes {
			tx.setContentSize(space, size)
		}
		return nil
	})
	if err != nil { // the next commit with objects in the space corrects it
		s.Logger.Warn("what was stored in vain is not counted yet", "spaces", slices.Sorted(maps.Keys(sizes)), "error", err)
	}
}

// Usage is the usage of an organization and its limits.
type Usage struct {
	Bytes, Records int64
	Complete       bool  // false: older data is not counted yet
	Quota          Quota // effective limits

	HasCustomBytes, HasCustomRecords bool // whether the limit was set for this organization

	Events, EventDays int64 // how many events, and for how many days, this organization keeps; 0 = as many as all
}

// quotaFields are the fields of the HASH of limits set for one organization.
var quotaFields = []string{FieldBytes, FieldRecords, FieldEvents, FieldEventDays}

// Usage queues the read of an organization's usage.
func (b *Batch) Usage(org string) *Reply[Usage] {
	reply := &Reply[Usage]{}
	use := b.Fields(UsageKey(org), FieldBytes, FieldRecords, FieldCounted)
	quota, savedAnswers := b.Fields(QuotaKey(org), quotaFields...), b.HashAll(AnswersKey(organizationShard(org)))
	hour := hourOf(b.Store.Now())
	b.decoders = append(b.decoders, func() {
		fields, limits, answers := use.value, quota.value, savedAnswers.value
		u := Usage{
			Bytes: ParseCount(fields[FieldBytes]), Records: ParseCount(fields[FieldRecords]), Complete: fields[FieldCounted] != "",
			Quota: b.Store.quota, Events: ParseCount(limits[FieldEvents]), EventDays: ParseCount(limits[FieldEventDays]),
		}
		for field, bytes := range answers {
			if hourExpired(ParseCount(field), hour) {
				u.Bytes -= ParseCount(bytes)
			}
		}
		if text, ok := limits[FieldBytes]; ok {
			u.Quota.Bytes, u.HasCustomBytes = ParseCount(text), true
		}
		if text, ok := limits[FieldRecords]; ok {
			u.Quota.Records, u.HasCustomRecords = ParseCount(text), true
		}
		reply.set(u, true)
	})
	return reply
}

// hourExpired reports whether the answers saved in an hour have expired. Hours in the future, from a clock that was ahead,
// count as expired.
func hourExpired(saved, now int64) bool { return saved <= now-25 || saved > now+1 }

// CheckQuota returns a *QuotaError if the bytes and records do not fit into the quota. It returns nil if they fit, or if older
// data is not counted yet. It is for data stored in several steps; single transactions use UpdateOptions.EnforceQuota.
func (u Usage) CheckQuota(bytes, records int64) error {
	switch {
	case !u.Complete:
		return nil
	case bytes > 0 && u.Quota.Bytes > 0 && u.Bytes+bytes > u.Quota.Bytes:
		return &QuotaError{Resource: FieldBytes, Limit: u.Quota.Bytes, Usage: u.Bytes}
	case records > 0 && u.Quota.Records > 0 && u.Records+records > u.Quota.Records:
		return &QuotaError{Resource: FieldRecords, Limit: u.Quota.Records, Usage: u.Records}
	}
	return nil
}

// readQuotaError decodes a refusal of the script: resource, limit, usage.
func readQuotaError(reply []any) (*QuotaError, bool) {
	if len(reply) != 4 {
		return nil, false
	}
	what, _ := reply[1].(string)
	limit, _ := reply[2].(string)
	use, _ := reply[3].(string)
	return &QuotaError{Resource: what, Limit: ParseCount(limit), Usage: ParseCount(use)}, what != ""
}
