package specs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/openapi"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Limits of reading a specification.
const (
	maxSpecBytes = 10 << 20        // per fetched document
	maxSpecTime  = 2 * time.Minute // for all documents together

	maxLostLeases = 2 // nodes that may end while they read a specification; then it is not read again
)

// ReadSpec runs the job that reads the source of a specification and creates a version unless it equals the last one.
// A source with an address is read again daily, less often after failures, which are stored with the specification. A
// PUT resets that.
func (s *Service) ReadSpec(ctx context.Context, lease store.Lease) error {
	found, err := s.beginSpec(ctx, lease)
	if err != nil || found.Version == 0 {
		return err
	}
	if lease.Lost >= maxLostLeases {
		return s.finishSpec(ctx, lease, readResult{}, &openapi.ParseError{Message: "Each node that began to read it ended meanwhile."})
	}
	work, err := s.Slow.BeginLarge(budgets.WithTenant(ctx, &lease.Organization), budgets.SpecStart)
	if err != nil {
		return err
	}
	defer work.End()
	read, failure := s.readSource(ctx, found, work)
	if failure != nil && ctx.Err() != nil {
		return ctx.Err() // the node is stopping; another node runs the job again
	}
	if errors.Is(failure, budgets.ErrBusy) {
		return failure // no permit or memory: the job is retried
	}
	err = s.finishSpec(ctx, lease, read, failure)
	if full, over := errors.AsType[*txn.QuotaError](err); over { // the version is not stored, and the specification gets the reason
		err = s.finishSpec(ctx, lease, read, rest.QuotaExceeded(full))
	}
	return err
}

// readResult holds what one run of a job fetched and parsed from the source of a specification.
type readResult struct {
	document     openapi.Document
	fetchedFiles []store.FetchedFile // see store.OpenAPISpecPrivate
	slow         bool                // the responses took longer than slowReadTime, even if the reading failed
}

// finishSpec stores the result of a reading. A new version counts towards the quota of the organization.
func (s *Service) finishSpec(ctx context.Context, lease store.Lease, read readResult, failure error) error {
	options := txn.UpdateOptions{EnforceQuota: failure == nil}
	var waited store.OpenAPISpecDocument // the record before this result, with the user for whom it was pending
	err := s.Store.Update(ctx, store.Organization(lease.Organization), options, func(tx *store.Tx) error {
		d, err := tx.OpenAPISpec(lease.Organization, lease.Arg)
		if err != nil {
			return err
		}
		if d.Version == 0 {
			return lease.Finish(tx.Tx)
		}
		before := d.Fields
		if waited = d; before.ProcessingState == api.ProcessingComplete {
			waited.Private.By = ""
		}
		d.Private.SlowFetch = read.slow
		d.Fields.ProcessingState, d.Fields.LastProcessedAt = api.ProcessingComplete, revision.ChangeTime(d.Fields.CreatedAt, tx.Now())
		d.Fields.LastProcessErrorCode, d.Fields.LastProcessError = "", ""
		if failure != nil {
			d.Fields.LastProcessErrorCode, d.Fields.LastProcessError = failureOf(failure)
			d.Private.Failures++
		} else {
			if err := s.addSpecVersion(tx, lease.Organization, &d, read.document); err != nil {
				return err
			}
			d.Private.FetchedFiles, d.Private.Failures = read.fetchedFiles, 0
			if before.LastVersion == d.Fields.LastVersion {
				describeWaitingSpaces(&d)
			}
		}
		if before.ProcessingState != api.ProcessingComplete || before.LastVersion != d.Fields.LastVersion ||
			before.LastProcessErrorCode != d.Fields.LastProcessErrorCode {
			s.addSpecEvent(tx, d)
		}
		if before.LastVersion != d.Fields.LastVersion {
			tx.Schedule(lease.Organization, txn.JobName(store.OpenAPISpacesKind, d.Fields.Slug), 0)
		}
		if _, err = tx.PutOpenAPISpec(lease.Organization, d); err != nil {
			return err
		}
		return scheduleNext(tx, lease, d)
	})
	if err == nil {
		s.removePending(ctx, lease.Organization, waited)
	}
	return err
}

// scheduleNext ends a reading and schedules the next one if the source has an address.
func scheduleNext(tx *store.Tx, lease store.Lease, d store.OpenAPISpecDocument) error {
	if d.Fields.SourceURL == "" {
		return lease.Finish(tx.Tx)
	}
	if err := lease.Require(tx.Tx); err != nil {
		return err
	}
	tx.Schedule(lease.Organization, lease.Job(), nextReadInterval(d.Fields.ID, d.Private.Failures, tx.Now()))
	return nil
}

// beginSpec marks a specification as being read if users wait for it; routine checks do not change its status. It returns an
// error if the specification was deleted.
func (s *Service) beginSpec(ctx context.Context, lease store.Lease) (d store.OpenAPISpecDocument, err error) {
	err = s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if d, err = tx.OpenAPISpec(lease.Organization, lease.Arg); err != nil {
			return err
		}
		if d.Version == 0 {
			return lease.Finish(tx.Tx)
		}
		if err := lease.Require(tx.Tx); err != nil || d.Fields.ProcessingState != api.ProcessingPending {
			return err
		}
		d.Fields.ProcessingState = api.ProcessingProgress
		_, err := tx.PutOpenAPISpec(lease.Organization, d)
		return err
	})
	return d, err
}

// readSource reads a document and all documents it refers to.
func (s *Service) readSource(ctx context.Context, d store.OpenAPISpecDocument, work *budgets.Work) (readResult, error) {
	ctx, cancel := context.WithTimeout(ctx, maxSpecTime)
	defer cancel()
	r := &sourceReader{service: s, spec: d, work: work, etags: map[string]string{}}
	var data []byte
	var err error
	if d.Private.Text != "" {
		if data, err = s.Revisions.ReadFile(ctx, d.Fields.ID, d.Private.Text); err == nil {
			err = work.Grow(ctx, len(data)*budgets.SpecFactor)
		}
	} else {
		data, err = r.fetch(ctx, d.Fields.SourceURL)
	}
	if err != nil {
		return readResult{slow: r.isSlow()}, err
	}
	read, err := s.Specs.Read(ctx, d.Fields.SourceURL, data, r.fetch)
	if err != nil {
		return readResult{slow: r.isSlow()}, err
	}
	return readResult{read, r.fetchedFiles(read), r.isSlow()}, nil
}

// failureOf returns the code and message of a failed reading.
func failureOf(err error) (api.ProcessErrorCode, string) {
	const most = 500
	message := []rune(err.Error())
	text := string(message[:min(most, len(message))])
	var wrong *openapi.ParseError
	var network net.Error
	switch {
	case errors.As(err, &wrong):
		return api.ProcessParseError, text
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return api.ProcessFetchTimeout, text
	}
	return api.ProcessFetchError, text
}

// addSpecVersion creates a version unless the last one consists of the same documents.
func (s *Service) addSpecVersion(tx *store.Tx, org string, d *store.OpenAPISpecDocument, read openapi.Document) error {
	var parts []string
	for _, f := range read.Files {
		parts = append(parts, f.Path, string(f.Data))
	}
	made := store.Hash(parts...)
	if d.Private.Hash == made && d.Fields.LastVersion != "" {
		return nil
	}
	id := tx.NewID(store.OpenAPIVersionPrefix)
	version, err := tx.OpenAPIVersion(org, id)
	if err != nil {
		return err
	}
	content := s.Store.Content(d.Fields.ID)
	version.Fields = api.OpenAPISpecVersionFields{Object: "openapi-spec-version", ID: id, CreatedAt: api.At(tx.Now())}
	version.Private = store.OpenAPIVersionPrivate{
		Spec:   d.Fields.ID,
		Bundle: revision.NewFile(content, "", d.Fields.Slug+".json", "application/json", read.Bundle).Manifest,
	}
	roots := []string{version.Private.Bundle}
	for _, f := range read.Files {
		stored := storedFile(content, f)
		version.Private.Files = append(version.Private.Files, store.OpenAPIFile{Path: f.Path, Manifest: stored})
		roots = append(roots, stored)
	}
	tx.Objects(d.Fields.ID, content.Staged(roots...)...)
	d.Fields.LastVersion, d.Private.Hash = id, made
	_, err = tx.PutOpenAPIVersion(org, version)
	return err
}

// addSpecEvent records the event for the result of a reading.
func (s *Service) addSpecEvent(tx *store.Tx, d store.OpenAPISpecDocument) {
	fields := map[string]string{
		"type": "openapi-specs.read", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "id": d.Fields.ID, "spec": d.Fields.Slug,
		"specVersion": d.Fields.LastVersion, "error": string(d.Fields.LastProcessErrorCode),
	}
	for name, v := range fields {
		if v == "" {
			delete(fields, name)
		}
	}
	tx.Event(fields)
}

// RemoveSpec runs the job that deletes the versions of a deleted specification, in repeatable steps.
func (s *Service) RemoveSpec(ctx context.Context, lease store.Lease) error {
	org, id := lease.Organization, lease.Arg
	for {
		b := s.Store.NewBatch()
		index := b.Range(store.OpenAPIVersionsKey(org, id), "", specBatch, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("versions of %s: %w", id, err)
		}
		versions := index.Value()
		if len(versions) == 0 {
			break
		}
		if err := s.removeSpecVersions(ctx, lease, versions); err != nil {
			return err
		}
	}
	if err := store.DropContent(ctx, s.Store, lease.Organization, id); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.DeleteField(txn.GCEpochsKey(org), id)
		tx.RemoveContentUsage(id)
		return lease.Finish(tx.Tx)
	})
}

// specBatch is the number of specifications or versions per transaction.
const specBatch = 200

func (s *Service) removeSpecVersions(ctx context.Context, lease store.Lease, versions []string) error {
	org := lease.Organization
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		var keys []redis.Key
		for _, id := range versions {
			keys = append(keys, store.OpenAPIVersionKey(org, id))
		}
		if err := tx.Prefetch(keys...); err != nil {
			return err
		}
		for _, id := range versions {
			version, err := tx.OpenAPIVersion(org, id)
			if err != nil {
				return err
			}
			if version.Version > 0 {
				tx.DeleteOpenAPIVersion(org, version)
			} else {
				tx.Remove(store.OpenAPIVersionsKey(org, lease.Arg), id)
			}
		}
		return nil
	})
}
