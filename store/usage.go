package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// UsageKind is the kind of the job that counts the usage of an organization that is older than usage accounting.
const UsageKind = "use"

// maxRecounts is the maximum number of counts of an organization whose data changes during the count. The last count is stored
// despite the changes; the next fsck corrects the difference.
const maxRecounts = 5

// UncountedOrganizations returns the organizations whose usage was not counted.
func UncountedOrganizations(ctx context.Context, s *Store) ([]string, error) {
	organizations, err := s.Organizations(ctx)
	if err != nil {
		return nil, err
	}
	var found []string
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		b := s.NewBatch()
		counted := make([]string, len(page))
		for i, org := range page {
			b.Field(txn.UsageKey(org), txn.FieldCounted).Into(&counted[i])
		}
		if err := b.Do(ctx); err != nil {
			return nil, err
		}
		for i, org := range page {
			if counted[i] == "" {
				found = append(found, org)
			}
		}
	}
	return found, nil
}

// Recount counts the usage of an organization and stores it. It calls the function and in the same transaction. It returns
// ErrBusy during a transfer from or to the organization, or a copy in it.
func Recount(ctx context.Context, s *Store, org string, and func(tx *Tx) error) error {
	for attempt := range maxRecounts {
		counted, err := countUsage(ctx, s, org)
		if err != nil {
			return err
		}
		held := true
		err = s.Update(ctx, Organization(org), txn.UpdateOptions{}, func(tx *Tx) error {
			writes, _, err := tx.Field(txn.UsageKey(org), txn.FieldWrites)
			if err != nil {
				return err
			}
			if held = writes == counted.writes || attempt == maxRecounts-1; !held {
				return nil
			}
			counted.write(tx, org)
			return and(tx)
		})
		if err != nil || held {
			return err
		}
	}
	return nil
}

// usageCount is the result of countUsage: number and size of the records, size of the saved answers, and sizes of the spaces.
type usageCount struct {
	records, size int64
	answerSize    int64
	spaces        map[string]txn.Size
	writes        string // at the start
	stale         []string
}

func (u usageCount) bytes() int64 {
	total := u.size + u.answerSize
	for _, size := range u.spaces {
		total += size.Bytes
	}
	return total
}

func (u usageCount) write(tx *Tx, org string) {
	key := txn.UsageKey(org)
	tx.SetField(key, txn.FieldBytes, strconv.FormatInt(u.bytes(), 10))
	tx.SetField(key, txn.FieldRecords, strconv.FormatInt(u.records, 10))
	tx.SetField(key, txn.FieldCounted, "1")
	for space, size := range u.spaces {
		tx.SetField(key, space, size.String())
	}
	for _, space := range u.stale {
		tx.DeleteField(key, space)
	}
}

// countUsage counts the data of an organization that its access entries and indexes refer to.
func countUsage(ctx context.Context, s *Store, org string) (usageCount, error) {
	found := usageCount{spaces: map[string]txn.Size{}}
	b := s.NewBatch()
	var was, answers map[string]string
	named := make([]map[string]string, 3)
	var due []string
	b.HashAll(txn.UsageKey(org)).Into(&was)
	b.HashAll(txn.AnswersKey(Organization(org))).Into(&answers)
	for i, key := range []redis.Key{txn.EntriesKey(org), txn.CountsKey(org), HeadsKey(org)} {
		b.HashAll(key).Into(&named[i])
	}
	b.Range(txn.DueKey(org), "", -1, false).Into(&due)
	if err := b.Do(ctx); err != nil {
		return found, err
	}
	for _, job := range due {
		if kind, _, _ := strings.Cut(job, ":"); slices.Contains([]string{TransferKind, ArrivalKind, CopyKind, OpenAPIRemoveKind}, kind) {
			return found, fmt.Errorf("%w: %s of %s", txn.ErrBusy, job, org)
		}
	}
	found.writes = was[txn.FieldWrites]
	for _, bytes := range answers {
		found.answerSize += txn.ParseCount(bytes)
	}
	ids := map[string]bool{}
	for _, fields := range named {
		for id := range fields {
			ids[id] = true
		}
	}
	if err := countRecords(ctx, s, org, ids, &found); err != nil {
		return found, err
	}
	for field := range was {
		if _, there := found.spaces[field]; !there && strings.Contains(field, "_") {
			found.stale = append(found.stale, field)
		}
	}
	return found, nil
}

// countRecords counts the records with the given ids and those listed in indexes.
func countRecords(ctx context.Context, s *Store, org string, ids map[string]bool, found *usageCount) error {
	keys := []redis.Key{OrganizationKey(org)}
	var spaces, sites []string
	for id := range ids {
		switch {
		case strings.HasPrefix(id, txn.UserPrefix):
			keys = append(keys, MemberKey(org, id))
		case strings.HasPrefix(id, TeamPrefix):
			keys = append(keys, TeamKey(org, id))
		case strings.HasPrefix(id, txn.SitePrefix):
			keys, sites = append(keys, SiteKey(org, id)), append(sites, id)
		case strings.HasPrefix(id, txn.CollectionPrefix):
			keys = append(keys, CollectionKey(org, id), MovedKey(org, id))
		case strings.HasPrefix(id, txn.SpacePrefix) && HeadSpace(id) == id:
			keys, spaces = append(keys, MovedKey(org, id)), append(spaces, id)
		}
	}
	listed, specs, err := listedRecords(ctx, s, org, sites)
	if err != nil {
		return err
	}
	if _, err := addSizes(ctx, s, append(keys, listed...), found); err != nil {
		return err
	}
	for _, space := range spaces {
		there, err := addSizes(ctx, s, []redis.Key{SpaceKey(org, space)}, found)
		if err != nil {
			return err
		}
		if there == 0 {
			continue // transferred away
		}
		ownedKeys, err := Records(ctx, s, org, space)
		if err != nil {
			return err
		}
		if _, err := addSizes(ctx, s, ownedKeys, found); err != nil {
			return err
		}
		specs = append(specs, space)
	}
	for _, space := range specs {
		if found.spaces[space], err = s.Measure(ctx, space); err != nil {
			return err
		}
	}
	return nil
}

// recordIndex is an index and the function that returns the key of a member's record.
type recordIndex struct {
	index  redis.Key
	record func(member string) redis.Key
}

// listedRecords returns the records that only indexes list, and the ids of the specifications.
func listedRecords(ctx context.Context, s *Store, org string, sites []string) (keys []redis.Key, specs []string, err error) {
	b := s.NewBatch()
	lists := []recordIndex{
		{InvitesKey(org), func(id string) redis.Key { return InviteKey(org, id) }},
		{LinkInvitesKey(org), func(id string) redis.Key { return LinkInviteKey(org, id) }},
		{TranslationsKey(org), func(id string) redis.Key { return TranslationKey(org, id) }},
		{ImportRunsKey(org), func(id string) redis.Key { return ImportRunKey(org, id) }},
		{SAMLProvidersKey(org), func(id string) redis.Key { return SAMLProviderKey(org, id) }},
		{IdentitiesKey(org), func(id string) redis.Key { return IdentityKey(org, id) }},
		{OIDCProvidersKey(org), func(id string) redis.Key { return OIDCProviderKey(org, id) }},
		{TransfersKey(org), func(id string) redis.Key { return TransferredKey(org, id) }},
		{OpenAPISpecsKey(org), func(member string) redis.Key { return OpenAPISpecKey(org, OpenAPISpecSlug(member)) }},
	}
	for _, site := range sites {
		lists = append(lists, recordIndex{ShareLinksKey(org, site), func(id string) redis.Key { return ShareLinkKey(org, id) }})
	}
	members := make([][]string, len(lists))
	for i, l := range lists {
		b.Range(l.index, "", -1, false).Into(&members[i])
	}
	if err := b.Do(ctx); err != nil {
		return nil, nil, err
	}
	for i, l := range lists {
		for _, member := range members[i] {
			keys = append(keys, l.record(member))
			if l.index == OpenAPISpecsKey(org) {
				id, _, _ := strings.Cut(member, "!")
				specs = append(specs, id)
			}
		}
	}
	b = s.NewBatch()
	versions := make([][]string, len(specs))
	for i, spec := range specs {
		b.Range(OpenAPIVersionsKey(org, spec), "", -1, false).Into(&versions[i])
	}
	if err := b.Do(ctx); err != nil {
		return nil, nil, err
	}
	for _, found := range versions {
		for _, id := range found {
			keys = append(keys, OpenAPIVersionKey(org, id))
		}
	}
	kept, err := keptKeys(ctx, s, org, keys)
	return append(keys, kept...), specs, err
}

// keptKeys returns the keys of the kept records of those transfers that are among keys.
func keptKeys(ctx context.Context, s *Store, org string, keys []redis.Key) (kept []redis.Key, err error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k redis.Key) bool { kind, _ := RecordName(k.Name()); return kind != "tf" })
	for chunk := range slices.Chunk(keys, txn.ChunkFields) {
		values, err := s.Read(ctx, chunk)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			var d TransferredDocument
			if !value.Present {
				continue
			}
			if err := d.Decode(value.Record); err != nil {
				return nil, err
			}
			for _, entry := range d.Private.Entries {
				kept = append(kept, TransferredEntryKey(org, d.Fields.ID, entry))
			}
		}
	}
	return kept, nil
}

// addSizes adds the sizes of records to found and returns how many of them exist.
func addSizes(ctx context.Context, s *Store, keys []redis.Key, found *usageCount) (there int64, err error) {
	for chunk := range slices.Chunk(keys, txn.ChunkFields) {
		pipe := s.Client.Pipeline()
		replies := make([]*goredis.IntCmd, len(chunk))
		for i, key := range chunk {
			replies[i] = pipe.StrLen(ctx, s.Name(key))
		}
		if err := redis.Execute(ctx, "recount", pipe); err != nil {
			return there, err
		}
		for _, reply := range replies {
			if reply.Val() > 0 {
				there++
				found.size += reply.Val()
			}
		}
	}
	found.records += there
	return there, nil
}

// MeasureUsage returns the size and number of records, including the content of spaces.
func MeasureUsage(ctx context.Context, s *Store, records []redis.Key, spaces []string) (bytes, count int64, err error) {
	found := usageCount{spaces: map[string]txn.Size{}}
	if _, err := addSizes(ctx, s, records, &found); err != nil {
		return 0, 0, err
	}
	for _, space := range spaces {
		if found.spaces[space], err = s.Size(ctx, space); err != nil {
			return 0, 0, err
		}
	}
	return found.bytes(), found.records, nil
}
