package specs

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/openapi"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// Fetcher downloads the documents of specifications; *fetch.Client implements it. It connects to public addresses
// only.
type Fetcher interface {
	// GetChanged downloads at most maxBytes bytes. It returns a response with status 304 if etag is still valid.
	GetChanged(ctx context.Context, url string, maxBytes int64, etag string) (*fetch.Response, error)
}

// Intervals at which a source is read. After failures the interval doubles, up to lastReadInterval.
const (
	readInterval     = 24 * time.Hour
	lastReadInterval = 7 * readInterval
	readJitter       = 2 * time.Hour // random deviation of intervals, so that sources are not all read at once

	// MaxReadInterval is the longest delay of jobs of store.OpenAPIReadKind.
	MaxReadInterval = lastReadInterval + readJitter/2

	maxETag = 1 << 10 // bytes; longer ETags are not stored
)

// nextReadInterval returns the time from one reading of a source to the next, given the number of consecutive failures. It
// varies from day to day, but is the same on every node.
func nextReadInterval(id string, failures int, now time.Time) time.Duration {
	interval := lastReadInterval
	if failures < 3 {
		interval = min(readInterval<<failures, lastReadInterval)
	}
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, id, now.Unix()/int64(readInterval/time.Second)) // a hash returns no error
	spread := time.Duration(h.Sum64() % uint64(readJitter))
	return interval - readJitter/2 + spread.Truncate(time.Second)
}

// sourceReader is one reading of a source. It reserves memory for each document.
type sourceReader struct {
	service  *Service
	spec     store.OpenAPISpecDocument
	work     *budgets.Work
	etags    map[string]string // by address of the fetched document
	waitTime time.Duration     // for responses
}

// isSlow reports whether the responses took longer than slowReadTime.
func (r *sourceReader) isSlow() bool { return r.waitTime >= slowReadTime }

// fetch returns a document. An unchanged one is taken from the last version.
func (r *sourceReader) fetch(ctx context.Context, address string) ([]byte, error) {
	var kept store.FetchedFile
	if i := slices.IndexFunc(r.spec.Private.FetchedFiles, func(f store.FetchedFile) bool { return f.URL == address }); i >= 0 {
		kept = r.spec.Private.FetchedFiles[i]
	}
	data, etag, err := r.fetchChanged(ctx, address, kept)
	if _, unreadable := objects.AsUnreadable(err); unreadable { // fetch the stored document again
		data, etag, err = r.fetchChanged(ctx, address, store.FetchedFile{})
	}
	if err != nil {
		return nil, err
	}
	if len(etag) <= maxETag {
		r.etags[address] = etag
	}
	return data, r.work.Grow(ctx, len(data)*budgets.SpecFactor)
}

// fetchChanged downloads a document unless it equals the stored one.
func (r *sourceReader) fetchChanged(ctx context.Context, address string, kept store.FetchedFile) (data []byte, etag string, err error) {
	began := r.service.Store.Now()
	response, err := r.service.Fetcher.GetChanged(ctx, address, maxSpecBytes, kept.ETag)
	r.waitTime += r.service.Store.Now().Sub(began)
	if err != nil {
		return nil, "", err
	}
	if response.Status != http.StatusNotModified {
		return response.Body, response.Header.Get("Etag"), nil
	}
	data, err = r.service.Revisions.ReadFile(ctx, r.spec.Fields.ID, kept.Manifest)
	return data, kept.ETag, err
}

// fetchedFiles returns the documents that have ETags for the next reading.
func (r *sourceReader) fetchedFiles(read openapi.Document) (files []store.FetchedFile) {
	content := r.service.Store.Content(r.spec.Fields.ID)
	for _, f := range read.Files {
		if etag := r.etags[f.Address]; etag != "" {
			files = append(files, store.FetchedFile{URL: f.Address, ETag: etag, Manifest: storedFile(content, f)})
		}
	}
	return files
}

// storedFile stages a document of a specification and returns its manifest.
func storedFile(content *objects.Content, f openapi.File) string {
	return revision.NewFile(content, "", f.Path, "text/plain", f.Data).Manifest
}

// PlanReads schedules the readings that no job exists for, such as those of specifications stored by an earlier
// build. It is called when a node starts.
func (s *Service) PlanReads(ctx context.Context) error {
	organizations, err := s.Store.Organizations(ctx)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		b := s.Store.NewBatch()
		members, due := make([][]string, len(page)), make([][]string, len(page))
		for i, org := range page {
			b.Range(store.OpenAPISpecsKey(org), "", -1, false).Into(&members[i])
			b.Range(txn.DueKey(org), "", -1, false).Into(&due[i])
		}
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("specifications that nobody asks for: %w", err)
		}
		for i, org := range page {
			if err := s.planSpecReads(ctx, org, members[i], due[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// planSpecReads schedules the readings of the specifications of an organization that have an address and no job.
func (s *Service) planSpecReads(ctx context.Context, org string, members, due []string) error {
	var slugs []string
	for _, member := range members {
		slug := store.OpenAPISpecSlug(member)
		if !slices.Contains(due, txn.JobName(store.OpenAPIReadKind, slug)) {
			slugs = append(slugs, slug)
		}
	}
	for some := range slices.Chunk(slugs, specBatch) {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, slug := range some {
				d, err := tx.OpenAPISpec(org, slug)
				if err != nil {
					return err
				}
				if d.Version > 0 && d.Fields.SourceURL != "" {
					tx.ScheduleOnce(org, txn.JobName(store.OpenAPIReadKind, slug), nextReadInterval(d.Fields.ID, 0, tx.Now())/2)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("plan readings of %s: %w", org, err)
		}
	}
	return nil
}
