package fsck

import (
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// checkIntegrations checks the shard of the integrations: its indexes, and that every object reachable from an integration
// is stored.
func (in *pass) checkIntegrations(ctx context.Context) error {
	want, err := in.readRecords(ctx, store.IntegrationContent)
	if err != nil {
		return err
	}
	if _, err := in.checkIndexes(ctx, want); err != nil {
		return err
	}
	roots, err := in.integrationRoots(ctx)
	if err != nil {
		return err
	}
	_, err = in.findReachable(ctx, store.IntegrationContent, roots)
	return err
}

// integrationRoots returns the objects that integrations refer to.
func (in *pass) integrationRoots(ctx context.Context) ([]string, error) {
	b := in.store.NewBatch()
	var records []*txn.Future[txn.Record]
	for _, name := range in.knownKeys(store.IntegrationContent, redis.RecordKind) {
		if strings.HasPrefix(name, store.Integrations().Tag()+":int:") {
			records = append(records, b.Record(redis.NamedKey(redis.RecordKind, name)))
		}
	}
	if err := b.Do(ctx); err != nil {
		return nil, err
	}
	var roots []string
	for _, record := range records {
		var d store.IntegrationDocument
		r, ok, err := record.Get()
		if err != nil || !ok || d.Decode(r) != nil {
			continue // deleted concurrently, or reported as unreadable with the records
		}
		roots = append(roots, d.Private.Latest)
	}
	slices.Sort(roots) // so that two passes report the same problems
	return roots, nil
}
