package imports

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// maxRunAttempts is how often a run is begun: one that ends without an answer so often fails.
const maxRunAttempts = 5

// maxReason is how long the reason of a failure may be, in characters.
const maxReason = 500

// Asked tells for whom imports run: one at a time for an organization, and for a person.
func (s *Service) Asked(ctx context.Context, org string, ids []string) (asked []store.Asked, err error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.ImportRunKey(org, id) })
	if err != nil {
		return nil, fmt.Errorf("import runs of %s that wait: %w", org, err)
	}
	for _, id := range ids {
		var d store.ImportRunDocument
		if record, there := records[id]; there {
			_ = d.Decode(record) // what cannot be read is told when the job runs
		}
		asked = append(asked, store.Asked{Arg: id, By: d.Fields.CreatedBy, Slow: true})
	}
	return asked, nil
}

// Run does an import run: it reads the source, and brings what came of it in one transaction, which completes the run. What
// is wrong with the source or the target ends the run, and is told; what is wrong here is tried again.
func (s *Service) Run(ctx context.Context, lease store.Lease) error {
	d, err := s.beginRun(ctx, lease)
	if err != nil || d.Version == 0 {
		return err
	}
	r := &run{Service: s, lease: lease, ImportRunDocument: d}
	err = r.do(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the node stops, or the run was cancelled
	}
	if full, over := errors.AsType[*txn.Exceeded](err); over {
		err = rest.QuotaExceeded(full)
	}
	wrong, told := api.AsError(err)
	if !told || errors.Is(err, txn.ErrBusy) || errors.Is(err, budgets.ErrBusy) {
		return err
	}
	return s.failRun(ctx, lease, wrong.Message)
}

// beginRun says that a run is under way. One that is gone or over, or was begun too often, is not.
func (s *Service) beginRun(ctx context.Context, lease store.Lease) (d store.ImportRunDocument, err error) {
	if lease.Attempt > maxRunAttempts {
		return d, s.failRun(ctx, lease, "It was begun several times and came to no end: the log of the server says why.")
	}
	err = s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if d, err = tx.ImportRun(lease.Organization, lease.Arg); err != nil {
			return err
		}
		if d.Version == 0 || !d.Fields.Status.Active() {
			d.Version = 0
			return lease.Finish(tx.Tx)
		}
		if err := lease.Hold(tx.Tx); err != nil || d.Fields.Status == api.RunInProgress {
			return err
		}
		now := revision.NotBefore(d.Fields.CreatedAt, tx.Now())
		d.Fields.Status, d.Fields.StartedAt, d.Fields.UpdatedAt = api.RunInProgress, now, now
		_, err := tx.PutImportRun(lease.Organization, d)
		return err
	})
	return d, err
}

// failRun ends a run with what was wrong.
func (s *Service) failRun(ctx context.Context, lease store.Lease, reason string) error {
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.ImportRun(lease.Organization, lease.Arg)
		if err != nil {
			return err
		}
		if d.Version == 0 || !d.Fields.Status.Active() {
			return lease.Finish(tx.Tx)
		}
		if _, err := tx.PutImportRun(lease.Organization, ended(d, tx, api.RunFailed, api.Shorten(reason, maxReason))); err != nil {
			return err
		}
		return lease.Finish(tx.Tx)
	})
}

// run is an import run on its way.
type run struct {
	*Service
	store.ImportRunDocument

	lease   store.Lease
	fetched importer.Result
}

func (r *run) body() api.Import {
	return api.Import{URL: r.Fields.Source.URL, Source: api.ImportWebsite}
}

func (r *run) at() revision.Target {
	return revision.Target{Space: r.Fields.Target.Space, ChangeRequest: r.Fields.Target.ChangeRequest}
}

// do reads the source, if whoever asked for it may still write the target, and brings what came of it.
func (r *run) do(ctx context.Context) error {
	if _, err := r.call(ctx); err != nil {
		return err
	}
	turn, err := r.Slow.BeginLarge(budgets.WorkingFor(ctx, &r.lease.Organization), budgets.ImportStart)
	if err != nil {
		return err
	}
	defer turn.End()
	if r.fetched, err = r.fetch(ctx, turn, r.body(), r.stillWanted); err != nil {
		return err
	}
	for range rest.MaxPlans {
		err := r.bring(ctx)
		switch {
		case errors.Is(err, errLocked):
			err = r.makeDraft(ctx)
			if err == nil {
				continue
			}
			fallthrough
		default:
			if !errors.Is(err, rest.ErrHeadMoved) && !errors.Is(err, redis.ErrStale) {
				return err
			}
		}
	}
	return txn.ErrBusy
}

// stillWanted ends the reading of a source whose run was cancelled meanwhile.
func (r *run) stillWanted(ctx context.Context) error {
	b := r.Store.Pipeline()
	record := b.Record(store.ImportRunKey(r.lease.Organization, r.lease.Arg))
	if err := b.Do(ctx); err != nil {
		return err
	}
	var d store.ImportRunDocument
	found, ok, err := record.Get()
	if ok && err == nil {
		err = d.Decode(found)
	}
	if err == nil && !d.Fields.Status.Active() {
		err = txn.ErrLeaseLost
	}
	return err
}

// call is the import as the request that it stands for, authorized as its user is now.
func (r *run) call(ctx context.Context) (*rest.Call, error) {
	target, row := r.Fields.Target, api.ImportContent.Row
	if target.ChangeRequest != "" {
		row = api.ImportChangeRequestContent.Row
	}
	return r.callFor(ctx, row, map[string]string{"spaceId": target.Space, "changeRequestId": target.ChangeRequest})
}

func (r *run) callFor(ctx context.Context, row api.Row, path map[string]string) (*rest.Call, error) {
	org := r.lease.Organization
	c := rest.Later(ctx, row, auth.InSpace(api.RoleEdit), org, r.Fields.CreatedBy, path)
	b := r.Store.Pipeline()
	model := b.Follow(org)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the organization: %w", err)
	}
	if err := model.Apply(ctx); err != nil {
		return nil, fmt.Errorf("read the organization: %w", err)
	}
	err := c.Authorize(model)
	if rest.IsNotFound(err) {
		err = api.WrongState("The space is not there any more for who asked for it.")
	}
	return c, err
}

// errLocked says that the space does not take what is written to it directly.
var errLocked = errors.New("imports: the space is locked")

// bring puts what was fetched on top of the head of the moment.
func (r *run) bring(ctx context.Context) error {
	c, err := r.call(ctx)
	if err != nil {
		return err
	}
	at := r.at()
	u, err := r.plan(ctx, c, at, r.body(), r.fetched, r.Fields.Target.Page)
	if err != nil {
		return err
	}
	options := txn.UpdateOptions{Guards: c.Guards, Charged: true}
	return r.Store.Update(ctx, c.Shard(), options, func(tx *store.Tx) error {
		d, err := r.again(tx)
		if err != nil {
			return err
		}
		if err := r.open(c, tx, u); err != nil {
			return err
		}
		result, err := r.commit(ctx, c, tx, at, u)
		if err != nil {
			return err
		}
		d.Private.Revision, d.Private.Source = result.ID, u.source.ID
		if _, err := tx.PutImportRun(c.Org, ended(d, tx, api.RunCompleted, "")); err != nil {
			return err
		}
		if !result.Unchanged {
			tx.Event(c.Event(tx, result.ID))
		}
		return r.lease.Finish(tx.Tx)
	})
}

// again reads the run inside a transaction, which holds the job.
func (r *run) again(tx *store.Tx) (d store.ImportRunDocument, err error) {
	if err := r.lease.Hold(tx.Tx); err != nil {
		return d, err
	}
	d, err = tx.ImportRun(r.lease.Organization, r.lease.Arg)
	if err == nil && (d.Version == 0 || !d.Fields.Status.Active()) {
		err = txn.ErrLeaseLost
	}
	return d, err
}

// open makes sure that the target takes what comes; where nothing does, it need not be open.
func (r *run) open(c *rest.Call, tx *store.Tx, u *update) error {
	target := r.Fields.Target
	if target.ChangeRequest != "" {
		l, err := review.Editable(c, tx, api.ChangeRequestRef{Space: target.Space, ChangeRequest: target.ChangeRequest})
		if err != nil {
			return err
		}
		return l.Contribute(c, tx)
	}
	space, err := tx.Space(c.Org, target.Space)
	if err != nil || space.Version == 0 {
		return rest.Missing(err)
	}
	if space.Fields.EditMode != api.EditLive && !u.draft.IsEmpty() {
		return errLocked
	}
	return nil
}

// makeDraft makes a change request for what cannot be written to a locked space, and names it in the target: whoever takes
// the job over goes on there.
func (r *run) makeDraft(ctx context.Context) error {
	space := r.Fields.Target.Space
	c, err := r.callFor(ctx, api.CreateChangeRequest.Row, map[string]string{"spaceId": space})
	if err != nil {
		return err
	}
	in := api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Subject: subjectOf(r.Fields.Source.URL)}}
	return r.Store.Update(ctx, c.Shard(), txn.UpdateOptions{Guards: c.Guards, Charged: true}, func(tx *store.Tx) error {
		d, err := r.again(tx)
		if err != nil {
			return err
		}
		made, err := r.Reviews.Create(ctx, c, tx, in)
		if err != nil {
			return err
		}
		tx.Event(c.Event(tx, made.ID))
		d.Fields.Target.ChangeRequest, d.Fields.UpdatedAt = made.ID, revision.NotBefore(d.Fields.CreatedAt, tx.Now())
		if _, err = tx.PutImportRun(c.Org, d); err == nil {
			r.ImportRunDocument = d
		}
		return err
	})
}

// subjectOf says where an import came from.
func subjectOf(address string) string {
	const most = 100
	u, err := url.Parse(address)
	if err != nil {
		return "Import"
	}
	return api.Shorten("Import of "+u.Host+u.EscapedPath(), most)
}
