package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/spaces"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/transfers"
	"docspace.dev/wsd/store/txn"
)

// Taking back closes what comes back before it looks a last time whether somebody has written in it, as every transfer
// does: whoever was faster than the fence is seen, and the others are refused. What has been written is not asked of a
// clock: it is whatever differs from the marks that were kept when the thing went.

// takeBackPlan is what is about to come back.
type takeBackPlan struct {
	at      *rest.Call // the request as it is in the organization that has the thing now
	nodes   []string   // parents before what is in them
	entries []access.Dependency
	rebuilt []string // collections that were deleted there
	trashed []string // deleted things of others in the collections: they stay
	kept    map[string]store.KeptPrivate
}

// beginTakeBack closes what comes back. Somebody else may have begun the same already.
func (s *Service) beginTakeBack(ctx context.Context, c *rest.Call, t *transferSides, agreed bool) error {
	holder, node, id := t.fields().To, t.fields().Node(), t.fields().ID
	under, err := s.readTransfer(ctx, holder, node)
	if err != nil || under.Version > 0 && under.Private.Back != nil && under.Private.Back.Transfer == id {
		return err
	}
	p, err := s.planTakeBack(ctx, c, t, agreed)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(holder), txn.UpdateOptions{DryRun: c.DryRun, Prefetch: spaces.RecordKeys(holder, p.nodes)}, func(tx *store.Tx) error {
		made, err := tx.Transferred(holder, id)
		if err != nil || made.Version == 0 || made.Private.State == api.TransferTakenBack || agreed && made.Private.State != api.TransferAsked {
			return errors.Join(rest.Missing(err), redis.ErrStale)
		}
		if err := p.at.Recheck(tx, p.entries); err != nil {
			return err
		}
		epoch, err := s.closeForTakeBack(tx, p, node)
		if err != nil {
			return err
		}
		d, err := tx.Transfer(holder, node)
		if err != nil || d.Version > 0 {
			return errors.Join(err, busyIf(d.Version > 0))
		}
		d.Fields = store.TransferFields{Node: node, To: t.fields().From, Nodes: p.nodes}
		d.Private = store.TransferPrivate{
			Step: store.TransferClosing, User: c.Caller.User, At: api.At(tx.Now().Add(s.JobLease())), Idempotency: c.Idempotency(),
			Trashed: p.trashed, Epoch: epoch, Back: &store.TakeBack{Transfer: id, Row: c.Endpoint.Row.Name, Agreed: agreed, Rebuilt: p.rebuilt},
		}
		tx.Schedule(holder, txn.JobName(store.TransferKind, node), s.JobLease())
		return tx.PutTransfer(holder, d)
	})
}

// closeForTakeBack closes all that comes back, and has collections there again that were deleted. It returns the epoch
// of the transfer: the version of what comes back.
func (s *Service) closeForTakeBack(tx *store.Tx, p *takeBackPlan, root string) (epoch int64, err error) {
	for _, id := range p.nodes {
		if slices.Contains(p.rebuilt, id) {
			version, err := transfers.Rebuild(tx, p.at.Org, id, p.kept[id])
			if err != nil {
				return 0, err
			}
			if id == root {
				epoch = version
			}
			continue
		}
		if err := s.closeNode(p.at, tx, id); err != nil {
			return 0, err
		}
		if id == root {
			closed, _, err := tx.Record(store.NodeKey(p.at.Org, id))
			if err != nil {
				return 0, err
			}
			epoch = closed.Version
		}
	}
	return epoch, nil
}

// planTakeBack finds what comes back, and refuses what cannot.
func (s *Service) planTakeBack(ctx context.Context, c *rest.Call, t *transferSides, agreed bool) (*takeBackPlan, error) {
	given := t.own
	if given.Fields.Direction == api.TransferIn {
		given = t.other
	}
	holder, id := given.Fields.To, given.Fields.ID
	p := &takeBackPlan{at: c.InOrganization(holder)}
	var err error
	if p.kept, _, err = s.keptOf(ctx, given.Fields.From, id, given.Private.Nodes); err != nil {
		return nil, err
	}
	if p.at.Model, err = s.freshShape(ctx, holder); err != nil {
		return nil, err
	}
	gone, err := s.findComingBack(ctx, p, given)
	if err != nil {
		return nil, err
	}
	p.at.Access(func(sh *access.Model) { err = p.look(sh) })
	if err != nil || agreed {
		return p, err
	}
	changed, err := s.changedSince(ctx, holder, p.nodes, p.kept)
	if err == nil && len(gone)+len(changed) > 0 {
		err = touched(append(gone, changed...))
	}
	return p, err
}

// findComingBack finds what of the transfer the organization still has, in its trash too. What it has transferred
// elsewhere is gone; collections that it deleted are made anew.
func (s *Service) findComingBack(ctx context.Context, p *takeBackPlan, given store.TransferredDocument) (gone []api.FieldError, err error) {
	holder, root := given.Fields.To, given.Fields.Node()
	records, err := rest.ReadRecords(ctx, s.Store, given.Private.Nodes, func(id string) redis.Key { return store.NodeKey(holder, id) })
	if err != nil {
		return nil, err
	}
	for _, id := range given.Private.Nodes {
		var d store.CollectionDocument // a space has these members, too
		if r, there := records[id]; there {
			if err := d.Decode(r); err != nil {
				return nil, err
			}
		}
		switch {
		case d.Version > 0 && d.Private.State == store.NodeMoving:
			return nil, txn.ErrBusy
		case d.Version > 0 && d.Private.State == "" && d.Private.Came == given.Fields.ID:
			p.nodes = append(p.nodes, id)
			continue
		}
		deleted, err := s.deletedThere(ctx, holder, id)
		if err != nil {
			return nil, err
		}
		switch {
		case d.Version == 0 && deleted && !access.IsSpace(id):
			p.nodes, p.rebuilt = append(p.nodes, id), append(p.rebuilt, id)
		case id == root:
			return nil, api.WrongState("The other organization has it no more: it was transferred on.").WithHint("Take a copy of it as it was: wsctl transfers copy %s", given.Fields.ID)
		default:
			gone = append(gone, api.FieldError{Path: id, Message: "is in that organization no more"})
		}
	}
	return gone, nil
}

// deletedThere reports whether what an organization has no record of was deleted there, and not transferred on: its
// home would know.
func (s *Service) deletedThere(ctx context.Context, holder, id string) (bool, error) {
	home, _ := txn.HomeOrganization(id)
	records, err := rest.ReadRecords(ctx, s.Store, []string{id}, func(id string) redis.Key { return store.MovedKey(home, id) })
	if err != nil {
		return false, err
	}
	r, pointed := records[id]
	if !pointed {
		return true, nil
	}
	var d store.MovedDocument
	return d.Fields.Organization == holder, errors.Join(d.Decode(r), nil)
}

// look finds what stands in the way in the organization that has the thing: sites that show it, and what others have
// put into its collections.
func (p *takeBackPlan) look(sh *access.Model) error {
	for _, id := range p.nodes {
		n := sh.Node(id)
		if n == nil { // a collection that was deleted
			continue
		}
		p.entries = append(p.entries, access.Dependency{ID: id, Entry: n.Entry})
		if err := unshown(sh, id); err != nil {
			return err
		}
		for _, kid := range sh.Children(id) {
			switch {
			case slices.Contains(p.nodes, kid):
			case sh.Node(kid).Deleted != 0:
				p.trashed = append(p.trashed, kid)
			default:
				return api.WrongState("%s did not come with %s, and lies in it.", kid, id).WithHint("Whoever has it moves it out of there first.")
			}
		}
	}
	return nil
}

// checkTakeBack looks again, now that nobody can write any more.
func (s *Service) checkTakeBack(ctx context.Context, org string, d store.TransferDocument) error {
	if d.Private.Back.Agreed {
		return nil
	}
	kept, _, err := s.keptOf(ctx, d.Fields.To, d.Private.Back.Transfer, d.Fields.Nodes)
	if err != nil {
		return err
	}
	changed, err := s.changedSince(ctx, org, d.Fields.Nodes, kept)
	if err != nil || len(changed) == 0 {
		return err
	}
	return touched(changed)
}

func touched(changed []api.FieldError) error {
	e := api.WrongState("It is not as it was when it was transferred: who has it now has used it.").
		WithHint("Ask its admins to give it back (wsctl transfers ask), or take a copy as it was (wsctl transfers copy).")
	e.Fields = changed
	return e
}

// writings are what the kinds of records are called that people write in a space.
var writings = map[string]string{"cr": "change requests", "rv": "reviews", "cm": "comments", "rp": "replies"}

// changedSince lists what was written in spaces since they were transferred.
func (s *Service) changedSince(ctx context.Context, org string, nodes []string, kept map[string]store.KeptPrivate) ([]api.FieldError, error) {
	present := slices.DeleteFunc(slices.Clone(nodes), func(id string) bool { return !access.IsSpace(id) })
	keys, of, err := s.transferKeys(ctx, org, present)
	if err != nil {
		return nil, err
	}
	now := newKeeping(of, nil)
	err = transfers.Copy(ctx, s.Store, org, keys, func(chunk []transfers.Copied) error {
		now.add(chunk)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var changed []api.FieldError
	for _, id := range present {
		what, err := differences(kept[id], *now.node(id))
		if err != nil {
			return nil, err
		}
		if len(what) > 0 {
			changed = append(changed, api.FieldError{Path: id, Message: fmt.Sprintf("other than when it was transferred: %s", strings.Join(what, ", "))})
		}
	}
	return changed, nil
}

// differences names what was written in a space.
func differences(was, now store.KeptPrivate) (what []string, err error) {
	before, err := store.ParseHead(was.Head)
	if err != nil {
		return nil, err
	}
	after, err := store.ParseHead(now.Head)
	if err != nil {
		return nil, err
	}
	if before.Revision != after.Revision {
		what = append(what, "content")
	}
	for _, kind := range was.Marks.Differ(now.Marks) {
		what = append(what, writings[kind])
	}
	return what, nil
}
