package lifecycle

import (
	"context"
	"errors"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// transferCopy describes a copy of transferred entries as they were at the transfer.
type transferCopy struct {
	snapshot map[string]store.TransferredEntryPrivate
	entries  []string          // parents before children
	newIDs   map[string]string // ids of the copies by id of the original
	heads    map[string]store.Head
	teams    map[string]bool
	since    api.Time
}

// copyTransfer copies transferred entries as they were at the transfer, without change requests and comments. Later
// changes of the other organization are not included.
func (s *Service) copyTransfer(ctx context.Context, c *rest.Call, in api.TransferRef) (none rest.Result[api.TransferRecord], err error) {
	t, err := s.openTransfer(ctx, c, in.Transfer, api.TransferOut)
	if err == nil {
		err = s.checkReturnable(ctx, c, t)
	}
	if err != nil {
		return none, err
	}
	end, err := s.takeTurn(ctx, c)
	if err != nil {
		return none, err
	}
	defer end()
	p, err := s.planTransferCopy(ctx, c, t)
	if err != nil {
		return none, err
	}
	copied, ctx, err := s.beginCopy(ctx, c, p.newIDs)
	if err != nil {
		return none, err
	}
	if !c.DryRun {
		defer func() { err = copied.end(ctx, err) }()
		generations, err := s.copySnapshotContent(ctx, c, p, copied)
		if err != nil {
			return none, err
		}
		ctx = redis.WithGenerations(ctx, generations)
		copied.stop()
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.TransferRecord], error) {
		if !c.DryRun {
			if err := copied.complete(tx); err != nil {
				return none, err
			}
		}
		d, err := tx.Transferred(c.Org, in.Transfer)
		if err != nil || d.Version == 0 {
			return none, rest.NotFoundIfNil(err)
		}
		if d.Private.State != "" {
			return none, redis.ErrStale
		}
		for _, id := range p.entries {
			if err := s.putRestoredCopy(c, tx, p, id); err != nil {
				return none, err
			}
		}
		d.Private.State, d.Fields.Copy = api.TransferCopied, p.newIDs[d.Fields.Content()]
		t.own = d
		if t.record, err = tx.PutTransferred(c.Org, d); err != nil {
			return none, err
		}
		return s.transferResult(c, t)
	})
}

func (s *Service) planTransferCopy(ctx context.Context, c *rest.Call, t *transferSides) (*transferCopy, error) {
	kept, made, err := s.loadSnapshot(ctx, c.Org, t.fields().ID, t.own.Private.Entries)
	if err != nil {
		return nil, err
	}
	p := &transferCopy{
		snapshot: kept, entries: t.own.Private.Entries, newIDs: map[string]string{}, heads: map[string]store.Head{},
		teams: map[string]bool{}, since: made.Fields.TransferredAt,
	}
	for _, id := range p.entries {
		prefix := txn.CollectionPrefix
		if access.IsSpace(id) {
			prefix = txn.SpacePrefix
			if p.heads[id], err = store.ParseHead(kept[id].Head); err != nil {
				return nil, err
			}
		}
		p.newIDs[id] = s.Store.NewID(txn.HomePrefix(prefix, c.Org))
	}
	c.Access(func(model *access.Model) {
		for id := range model.TeamIDs() {
			p.teams[id] = true
		}
	})
	return p, nil
}

// copySnapshotContent copies the content and restores the roles of members in the copies.
func (s *Service) copySnapshotContent(ctx context.Context, c *rest.Call, p *transferCopy, copied *copying,
) (generations redis.Generations, err error) {
	for id, head := range p.heads {
		c.Guards = append(c.Guards, txn.FieldGuard(txn.GCEpochsKey(c.Org), p.newIDs[id], "", false)) // see copySpace
		at, err := store.CopyContent(ctx, s.Store, id, p.newIDs[id], head)
		if errors.Is(err, objects.ErrMissing) {
			return generations, api.WrongState("The content of %s, as it was, is not there any more.", id)
		}
		if err == nil {
			generations, err = generations.Merge(at)
		}
		if err != nil {
			return generations, err
		}
	}
	var grants map[string]map[string]api.Role
	c.Access(func(model *access.Model) { grants = model.RestorableGrants(p.snapshot, p.since) })
	for user, roles := range grants {
		copies, granted := make([]string, 0, len(roles)), map[string]api.Role{}
		for id, role := range roles {
			copies, granted[p.newIDs[id]] = append(copies, p.newIDs[id]), role
		}
		slices.Sort(copies)
		err := s.Store.Update(ctx, c.Shard(), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if err := tx.RequireCopy(c.Org, copied.fields.ID); err != nil {
				return err
			}
			return store.AddGrants(tx, c.Org, user, copies, granted)
		})
		if err != nil {
			return generations, err
		}
	}
	return generations, nil
}

// putRestoredCopy stores the record of the copy of the entry id, with its former creator and the roles of the teams in p.teams.
func (s *Service) putRestoredCopy(c *rest.Call, tx *store.Tx, p *transferCopy, id string) error {
	to, parent := p.newIDs[id], ""
	private := func(was store.EntryPrivate, above string) store.EntryPrivate {
		parent = p.newIDs[above]
		teams := map[string]api.Role{}
		for team, role := range was.Teams {
			if p.teams[team] {
				teams[team] = role
			}
		}
		return store.EntryPrivate{Creator: was.Creator, Teams: teams}
	}
	if !access.IsSpace(id) {
		was, err := p.snapshot[id].Collection()
		if err != nil {
			return err
		}
		d, err := tx.Collection(c.Org, to)
		if err != nil {
			return err
		}
		d.Fields, d.Private = was.Fields, private(was.Private, was.Fields.Parent)
		d.Fields.ID, d.Fields.Organization, d.Fields.Parent = to, c.Org, ""
		if err := tx.MoveCollection(&d, parent, txn.Position{}); err != nil {
			return err
		}
		_, err = tx.PutCollection(d)
		return err
	}
	was, err := p.snapshot[id].Space()
	if err != nil {
		return err
	}
	d, err := tx.Space(c.Org, to)
	if err != nil {
		return err
	}
	d.Fields, d.Private = was.Fields, private(was.Private, was.Fields.Parent)
	d.Fields.ID, d.Fields.Organization, d.Fields.Parent, d.Fields.CreatedAt = to, c.Org, "", api.At(tx.Now())
	if err := tx.MoveSpace(&d, parent, txn.Position{}); err != nil {
		return err
	}
	if err := tx.AddContentUsage(to); err != nil {
		return err
	}
	head := p.heads[id]
	head.MovedAt = tx.Now()
	tx.SetHead(c.Org, to, head)
	tx.CountSpace(c.Org, to)
	_, err = tx.PutSpace(d)
	return err
}
