package imports

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

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

// maxRunAttempts is the number of attempts after which a run fails.
const maxRunAttempts = 5

// maxLostLeases is the number of nodes that may end during a run. Then the run fails, as it may be their reason.
const maxLostLeases = 2

// maxReasonLength is the maximum length of a failure reason in characters.
const maxReasonLength = 500

// Asked returns the user who requested each run. The scheduler needs the users because it executes at most one run at a time
// for a user and for an organization. The user of a damaged run is empty; its job reports the error.
func (s *Service) Asked(ctx context.Context, org string, ids []string) (asked []store.Requester, err error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.ImportRunKey(org, id) })
	if err != nil {
		return nil, fmt.Errorf("import runs of %s that wait: %w", org, err)
	}
	for _, id := range ids {
		var d store.ImportRunDocument
		if record, there := records[id]; there {
			if err := d.Decode(record); err != nil {
				d = store.ImportRunDocument{} // discard a partly decoded record; the job reports the error
			}
		}
		asked = append(asked, store.Requester{Arg: id, By: d.Fields.CreatedBy, SlowRun: true})
	}
	return asked, nil
}

// Run executes an import run: it reads the source and commits the result in the transaction that completes the run.
// Errors of the source or target end the run and are stored as its reason; internal errors are returned and the job
// is retried.
func (s *Service) Run(ctx context.Context, lease store.Lease) error {
	d, err := s.beginRun(ctx, lease)
	if err != nil || d.Version == 0 {
		return err
	}
	r := &run{Service: s, lease: lease, ImportRunDocument: d}
	err = r.execute(ctx)
	if ctx.Err() != nil {
		return ctx.Err() // the node is stopping, or the run was cancelled
	}
	if full, over := errors.AsType[*txn.QuotaError](err); over {
		err = rest.QuotaExceeded(full)
	}
	wrong, ok := api.AsError(err)
	if !ok || errors.Is(err, txn.ErrBusy) || errors.Is(err, budgets.ErrBusy) {
		return err
	}
	return s.failRun(ctx, lease, wrong.Message)
}

// beginRun marks a run as running. It returns an error if the run was deleted, has ended, or has reached
// maxRunAttempts or maxLostLeases.
func (s *Service) beginRun(ctx context.Context, lease store.Lease) (d store.ImportRunDocument, err error) {
	if lease.Attempt > maxRunAttempts || lease.Lost >= maxLostLeases {
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
		if err := lease.Require(tx.Tx); err != nil || d.Fields.Status == api.RunInProgress {
			return err
		}
		now := revision.ChangeTime(d.Fields.CreatedAt, tx.Now())
		d.Fields.Status, d.Fields.StartedAt, d.Fields.UpdatedAt = api.RunInProgress, now, now
		_, err := tx.PutImportRun(lease.Organization, d)
		return err
	})
	return d, err
}

// failRun ends a run with a failure reason.
func (s *Service) failRun(ctx context.Context, lease store.Lease, reason string) error {
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.ImportRun(lease.Organization, lease.Arg)
		if err != nil {
			return err
		}
		if d.Version == 0 || !d.Fields.Status.Active() {
			return lease.Finish(tx.Tx)
		}
		if _, err := tx.PutImportRun(lease.Organization,
			finishRun(d, tx, api.RunFailed, api.Shorten(reason, maxReasonLength))); err != nil {
			return err
		}
		return lease.Finish(tx.Tx)
	})
}

// run is the execution of an import run by a job: its record, the lease of the job and the fetched content.
type run struct {
	*Service
	store.ImportRunDocument

	lease   store.Lease
	fetched importer.Result
}

func (r *run) body() givenImport {
	return givenImport{Import: api.Import{URL: r.Fields.Source.URL, Source: api.ImportWebsite}}
}

func (r *run) target() revision.Target {
	return revision.Target{Space: r.Fields.Target.Space, ChangeRequest: r.Fields.Target.ChangeRequest}
}

// execute reads the source, provided that the run's user may still write to the target, and commits the result.
func (r *run) execute(ctx context.Context) error {
	if _, err := r.newCall(ctx); err != nil {
		return err
	}
	requester := budgets.Requester{Tenant: r.lease.Organization, Person: r.Fields.CreatedBy}
	work, err := r.Slow.BeginLarge(budgets.WithRequester(ctx, &requester), budgets.ImportStart)
	if err != nil {
		return err
	}
	defer work.End()
	limited, stop := budgets.WithWorkTime(ctx, time.Duration(r.Budgets.ImportWork))
	defer stop()
	if r.fetched, err = r.fetch(limited, work, r.body(), r.checkNotCancelled); err != nil {
		return r.workTimeError(limited, r.body(), err)
	}
	for range rest.MaxPlans {
		err := r.commitImport(ctx, limited)
		switch {
		case errors.Is(err, errLocked):
			err = r.createDraft(ctx)
			if err == nil {
				continue
			}
			fallthrough
		default:
			if !errors.Is(err, store.ErrHeadMoved) && !errors.Is(err, redis.ErrStale) {
				return err
			}
		}
	}
	return txn.ErrBusy
}

// checkNotCancelled returns an error if the run was cancelled, which stops the reading of the source.
func (r *run) checkNotCancelled(ctx context.Context) error {
	b := r.Store.NewBatch()
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

// newCall returns the import as a request of the run's user, with the user's current permissions.
func (r *run) newCall(ctx context.Context) (*rest.Call, error) {
	target, row := r.Fields.Target, api.ImportContent.Row
	if target.ChangeRequest != "" {
		row = api.ImportChangeRequestContent.Row
	}
	return r.newCallFor(ctx, row, map[string]string{"spaceId": target.Space, "changeRequestId": target.ChangeRequest})
}

func (r *run) newCallFor(ctx context.Context, row api.Row, path map[string]string) (*rest.Call, error) {
	org := r.lease.Organization
	c := rest.NewJobCall(ctx, row, auth.InSpace(api.RoleEdit), org, r.Fields.CreatedBy, path)
	b := r.Store.NewBatch()
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

// errLocked is returned for spaces that do not allow live edits.
var errLocked = errors.New("imports: the space is locked")

// commitImport merges the fetched content into the current head. limited is ctx with the limit for the work of a run.
func (r *run) commitImport(ctx, limited context.Context) error {
	c, err := r.newCall(ctx)
	if err != nil {
		return err
	}
	at := r.target()
	u, err := r.plan(limited, c, at, r.body(), r.fetched, r.Fields.Target.Page)
	if err != nil {
		return r.workTimeError(limited, r.body(), err)
	}
	options := txn.UpdateOptions{Guards: c.Guards, EnforceQuota: true}
	return r.Store.Update(ctx, c.Shard(), options, func(tx *store.Tx) error {
		d, err := r.reload(tx)
		if err != nil {
			return err
		}
		if err := r.checkOpen(c, tx, u); err != nil {
			return err
		}
		result, err := r.commit(ctx, c, tx, at, u)
		if err != nil {
			return err
		}
		d.Private.Revision, d.Private.Source = result.ID, u.source.ID
		if _, err := tx.PutImportRun(c.Org, finishRun(d, tx, api.RunCompleted, "")); err != nil {
			return err
		}
		if !result.Unchanged {
			event, err := c.Event(tx, result.ID)
			if err != nil {
				return err
			}
			tx.Event(event)
		}
		return r.lease.Finish(tx.Tx)
	})
}

// reload reads the run inside a transaction. It returns txn.ErrLeaseLost if the job is not held any more or the run has ended.
func (r *run) reload(tx *store.Tx) (d store.ImportRunDocument, err error) {
	if err := r.lease.Require(tx.Tx); err != nil {
		return d, err
	}
	d, err = tx.ImportRun(r.lease.Organization, r.lease.Arg)
	if err == nil && (d.Version == 0 || !d.Fields.Status.Active()) {
		err = txn.ErrLeaseLost
	}
	return d, err
}

// checkOpen returns an error if the target does not accept changes. A locked space is no error if the import changes nothing.
func (r *run) checkOpen(c *rest.Call, tx *store.Tx, u *update) error {
	target := r.Fields.Target
	if target.ChangeRequest != "" {
		l, err := review.LoadEditable(c, tx, api.ChangeRequestRef{Space: target.Space, ChangeRequest: target.ChangeRequest})
		if err != nil {
			return err
		}
		return l.AddContributor(c, tx)
	}
	space, err := tx.Space(c.Org, target.Space)
	if err != nil || space.Version == 0 {
		return rest.NotFoundIfNil(err)
	}
	if space.Fields.EditMode != api.EditLive && !u.draft.IsEmpty() {
		return errLocked
	}
	return nil
}

// createDraft creates a change request for content that cannot be written to a locked space, and stores it as the
// run's target, so that a retry continues there.
func (r *run) createDraft(ctx context.Context) error {
	space := r.Fields.Target.Space
	c, err := r.newCallFor(ctx, api.CreateChangeRequest.Row, map[string]string{"spaceId": space})
	if err != nil {
		return err
	}
	in := api.CreateChangeRequestInput{Space: space, Body: api.ChangeRequestCreate{Subject: draftSubject(r.Fields.Source.URL)}}
	return r.Store.Update(ctx, c.Shard(), txn.UpdateOptions{Guards: c.Guards, EnforceQuota: true}, func(tx *store.Tx) error {
		d, err := r.reload(tx)
		if err != nil {
			return err
		}
		made, err := r.Reviews.Create(ctx, c, tx, in)
		if err != nil {
			return err
		}
		event, err := c.Event(tx, made.ID)
		if err != nil {
			return err
		}
		tx.Event(event)
		d.Fields.Target.ChangeRequest, d.Fields.UpdatedAt = made.ID, revision.ChangeTime(d.Fields.CreatedAt, tx.Now())
		if _, err = tx.PutImportRun(c.Org, d); err == nil {
			r.ImportRunDocument = d
		}
		return err
	})
}

// draftSubject returns the subject of a change request for an import from an address.
func draftSubject(address string) string {
	const most = 100
	u, err := url.Parse(address)
	if err != nil {
		return "Import"
	}
	return api.Shorten("Import of "+u.Host+u.EscapedPath(), most)
}
