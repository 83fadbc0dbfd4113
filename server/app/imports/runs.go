package imports

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// An import run is an import that a job executes. The transaction that commits the pages also ends the job and completes the
// run. If the node of a job dies, another node fetches the source again; only one of them can commit.

const (
	// maxActiveRuns is the maximum number of pending and running runs of an organization.
	maxActiveRuns = 50
	// maxRuns is the maximum number of runs stored for an organization. Beyond it, the oldest finished run is
	// deleted.
	maxRuns = 1000
)

func (s *Service) runEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListImportRuns, auth.Member(), s.listRuns),
		rest.Op(api.CreateImportRun, auth.Member(), s.createRun).On(rest.Organization),
		rest.Read(api.GetImportRun, auth.Member(), s.getRun),
		rest.Write(api.CancelImportRun, auth.Member(), s.cancelRun).On(rest.ImportRun),
	}
}

func (s *Service) runURL(org, id string) string {
	return s.View.PublicURL + "/v1/org/" + org + "/imports/" + id
}

// runResult returns the JSON form of a stored run, with pages if they are given.
func (s *Service) runResult(org string, r txn.Record, id string, pages []api.ImportRunPage) (rest.Result[api.ImportRun], error) {
	result, err := rest.ObjectResult[api.ImportRun](rest.ExtendObject(r.Public).
		SetIf(len(pages) > 0, "pages", pages).
		Set("urls", api.LocationURLs{Location: s.runURL(org, id)}))
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

// checkMayWrite returns an error unless the caller may write to the target of a run, which includes reading and
// cancelling the run.
func checkMayWrite(c *rest.Call, target api.ImportRunTarget) (err error) {
	c.Access(func(model *access.Model) {
		_, active := model.Active(target.Space)
		role := model.Role(c.Caller, target.Space)
		switch {
		case !active || !role.AtLeast(api.RoleRead):
			err = api.NotFound()
		case !role.AtLeast(api.RoleEdit):
			err = rest.Forbidden(auth.Need{Role: api.RoleEdit}, "the space that it imports into", role)
		}
	})
	return err
}

func (s *Service) listRuns(
	_ context.Context, r *rest.Request, b *txn.Batch, in api.ListImportRunsInput,
) rest.Finish[api.Page[api.ImportRun]] {
	w := r.NewPager(in.ListOptions, true, in.Space, in.ChangeRequest, in.Site, string(in.Status))
	index := b.Range(store.ImportRunsKey(in.Organization), "", maxRuns, true)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.ImportRun]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		all := index.Value()
		records, err := rest.ReadRecords(ctx, s.Store, all, func(id string) redis.Key { return store.ImportRunKey(in.Organization, id) })
		if err != nil {
			return none, err
		}
		var ids []string
		for _, id := range all {
			var d store.ImportRunDocument
			if r, there := records[id]; !there {
				continue
			} else if err := d.Decode(r); err != nil {
				return none, fmt.Errorf("import run %s: %w", id, err)
			}
			if matchesFilter(d.Fields, in) && checkMayWrite(c, d.Fields.Target) == nil {
				ids = append(ids, id)
			}
		}
		page, next := w.Slice(ids, rest.NewestFirst)
		items := make([][]byte, len(page))
		for n, id := range page {
			item, err := s.runResult(in.Organization, records[id], id, nil)
			if err != nil {
				return none, err
			}
			items[n] = item.JSON
		}
		return rest.PageOf[api.ImportRun](items, len(ids), next)
	}
}

// matchesFilter reports whether a run matches the filters of a list.
func matchesFilter(f api.ImportRunFields, in api.ListImportRunsInput) bool {
	return (in.Space == "" || f.Target.Space == in.Space) &&
		(in.ChangeRequest == "" || f.Target.ChangeRequest == in.ChangeRequest) &&
		(in.Site == "" || f.Site == in.Site) && in.Status.Passes(f.Status)
}

func (s *Service) getRun(_ context.Context, r *rest.Request, b *txn.Batch, in api.ImportRunRef) rest.Finish[api.ImportRun] {
	record := b.Record(store.ImportRunKey(in.Organization, in.ImportRun))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.ImportRun], err error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		var d store.ImportRunDocument
		if err := d.Decode(r); err != nil {
			return none, fmt.Errorf("import run %s: %w", in.ImportRun, err)
		}
		if err := checkMayWrite(c, d.Fields.Target); err != nil {
			return none, err
		}
		pages, err := s.loadRunPages(ctx, d)
		if err != nil {
			return none, err
		}
		return s.runResult(in.Organization, r, in.ImportRun, pages)
	}
}

// loadRunPages returns the pages of a completed run: those of its source in its revision.
func (s *Service) loadRunPages(ctx context.Context, d store.ImportRunDocument) (pages []api.ImportRunPage, err error) {
	if d.Private.Revision == "" {
		return nil, nil
	}
	from, err := url.Parse(d.Fields.Source.URL)
	if err != nil {
		return nil, fmt.Errorf("address of an import run: %w", err)
	}
	content := s.Store.Content(d.Fields.Target.Space)
	r, err := s.Revisions.Revision(ctx, content, d.Private.Revision)
	if err != nil {
		return nil, err
	}
	t, err := s.Revisions.Tree(ctx, content, r.Pages)
	if err != nil {
		return nil, err
	}
	for _, id := range t.ReadingOrder("") {
		p := t.Page(id)
		if p.Origin == nil || p.Origin.Source != d.Private.Source {
			continue
		}
		shown := api.ImportRunPage{ID: id, Type: api.RunPage, Status: "complete"}
		if p.Type == api.PageGroup {
			shown.Type = api.RunFolder
		} else {
			shown.SourceURL = (&url.URL{Scheme: from.Scheme, Host: from.Host, Path: "/" + p.Origin.Path}).String()
		}
		pages = append(pages, shown)
	}
	return pages, nil
}

// createRun stores a run and schedules its job. It returns the errors that can be found without fetching.
func (s *Service) createRun(ctx context.Context, c *rest.Call, in api.CreateImportRunInput) (none rest.Result[api.ImportRun], err error) {
	rests, err := s.authorizeRun(c, in.Body)
	if err != nil {
		return none, err
	}
	if err := s.checkTarget(ctx, c, in.Body.Target); err != nil {
		return none, err
	}
	over, err := s.oldestFinishedRun(ctx, c.Org)
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (none rest.Result[api.ImportRun], err error) {
		if err := c.Recheck(tx, rests); err != nil {
			return none, err
		}
		if err := s.enforceLimits(tx, c.Org, over); err != nil {
			return none, err
		}
		id, now := tx.NewID(store.ImportRunPrefix), api.At(tx.Now())
		d, err := tx.ImportRun(c.Org, id)
		if err != nil {
			return none, err
		}
		d.Fields = api.ImportRunFields{
			Object: "import-run", ID: id, Status: api.RunPending, Source: in.Body.Source, Target: in.Body.Target, Site: in.Body.Site,
			CreatedBy: c.Caller.User, CreatedAt: now, UpdatedAt: now,
		}
		r, err := tx.PutImportRun(c.Org, d)
		if err != nil {
			return none, err
		}
		tx.Schedule(c.Org, store.ImportJob(id), 0)
		result, err := s.runResult(c.Org, r, id, nil)
		return result.WithLocation(id, s.runURL(c.Org, id)), err
	})
}

// authorizeRun returns an error unless the caller may write to the target and see the site. It returns the access
// entries that the decision depends on.
func (s *Service) authorizeRun(c *rest.Call, body api.ImportRunCreate) (rests []access.Dependency, err error) {
	c.Access(func(model *access.Model) {
		space := body.Target.Space
		n, active := model.Active(space)
		role := model.Role(c.Caller, space)
		switch {
		case !active || !access.IsSpace(space) || !role.AtLeast(api.RoleRead):
			err = rest.Withhold(api.NotFound())
		case !role.AtLeast(api.RoleEdit):
			err = rest.Forbidden(auth.Need{Role: api.RoleEdit}, "the space", role)
		case n.Moving:
			err = rest.TransferInProgressError()
		case body.Site != "" && !model.SiteRole(c.Caller, body.Site).AtLeast(api.RoleRead), body.Site != "" && model.Site(body.Site) == nil:
			err = api.InvalidField("site", "is not a site of this organization")
		}
		if err == nil {
			c.Caller.ContentRole = role
			rests = model.Dependencies(c.Caller, space)
		}
	})
	return rests, err
}

// checkTarget returns an error unless the change request and the page of a target exist.
func (s *Service) checkTarget(ctx context.Context, c *rest.Call, target api.ImportRunTarget) error {
	location := revision.Target{Space: target.Space, ChangeRequest: target.ChangeRequest}
	if target.ChangeRequest != "" {
		err := s.Reviews.CheckEditable(ctx, c, api.ChangeRequestRef{Space: target.Space, ChangeRequest: target.ChangeRequest})
		if rest.IsNotFound(err) {
			return api.InvalidField("target.changeRequest", "is not a change request of the space")
		}
		if err != nil {
			return err
		}
	}
	if target.Page == "" {
		return nil
	}
	head, err := s.Revisions.ReadHead(ctx, c.Org, location)
	if err != nil {
		return err
	}
	t, err := s.Revisions.Tree(ctx, s.Store.Content(target.Space), head.Pages)
	if err == nil && t.Page(target.Page) == nil {
		err = pageNotFoundError()
	}
	return err
}

// pageNotFoundError returns the error for a target page that does not exist.
func pageNotFoundError() *api.Error {
	return api.InvalidField("target.page", "is not a page of the target")
}

// oldestFinishedRun returns the id of the oldest finished run, or "" if the limit of runs is not reached.
func (s *Service) oldestFinishedRun(ctx context.Context, org string) (string, error) {
	b := s.Store.NewBatch()
	count, active := b.Cardinality(store.ImportRunsKey(org)), b.Range(store.ImportRunsKey(org, string(api.RunsActive)), "",
		maxActiveRuns, false)
	oldest := b.Range(store.ImportRunsKey(org), "", maxActiveRuns+1, false)
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("import runs of %s: %w", org, err)
	}
	if count.Value() < maxRuns {
		return "", nil
	}
	busy := active.Value()
	for _, id := range oldest.Value() {
		if !slices.Contains(busy, id) {
			return id, nil
		}
	}
	return "", nil
}

// enforceLimits returns an error if the organization has too many active runs, and deletes a finished run if it has
// too many runs.
func (s *Service) enforceLimits(tx *store.Tx, org, over string) error {
	active, err := tx.Cardinality(store.ImportRunsKey(org, string(api.RunsActive)))
	if err != nil {
		return err
	}
	if active >= maxActiveRuns {
		return rest.Exceeded("This organization", "import runs under way", maxActiveRuns, active).
			WithHint("They are done one after the other: cancel one, or ask again when some are over.")
	}
	if over == "" {
		return nil
	}
	d, err := tx.ImportRun(org, over)
	if err == nil && d.Version > 0 && !d.Fields.Status.Active() {
		tx.DeleteImportRun(org, over)
	}
	return err
}

// cancelRun ends a run and deletes its job, so that already fetched content is not committed.
func (s *Service) cancelRun(_ context.Context, c *rest.Call, tx *store.Tx, in api.ImportRunRef) (none rest.Result[api.ImportRun],
	err error,
) {
	d, err := tx.ImportRun(c.Org, in.ImportRun)
	if err != nil || d.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	if err := checkMayWrite(c, d.Fields.Target); err != nil {
		return none, err
	}
	if err := c.Recheck(tx, s.roleDependencies(c, d.Fields.Target.Space)); err != nil {
		return none, err
	}
	if d.Fields.Status == api.RunCompleted || d.Fields.Status == api.RunFailed {
		return none, api.Errorf(http.StatusConflict, api.ReasonState, "The run is %s: there is nothing to cancel.", d.Fields.Status)
	}
	changed := d.Fields.Status != api.RunCancelled
	return rest.PutIfChanged(tx, store.ImportRunKey(c.Org, in.ImportRun), changed, func() (txn.Record, error) {
		tx.Unschedule(c.Org, store.ImportJob(in.ImportRun))
		return tx.PutImportRun(c.Org, finishRun(d, tx, api.RunCancelled, ""))
	}, func(r txn.Record) (rest.Result[api.ImportRun], error) {
		return s.runResult(c.Org, r, in.ImportRun, nil)
	})
}

// roleDependencies returns the access entries that the caller's role in a space depends on.
func (s *Service) roleDependencies(c *rest.Call, space string) (rests []access.Dependency) {
	c.Access(func(model *access.Model) { rests = model.Dependencies(c.Caller, space) })
	return rests
}

// finishRun returns the run with the given end status and reason, and the current time as its end.
func finishRun(d store.ImportRunDocument, tx *store.Tx, status api.ImportRunStatus, reason string) store.ImportRunDocument {
	now := revision.ChangeTime(d.Fields.CreatedAt, tx.Now())
	d.Fields.Status, d.Fields.Reason, d.Fields.UpdatedAt, d.Fields.CompletedAt = status, reason, now, now
	return d
}
