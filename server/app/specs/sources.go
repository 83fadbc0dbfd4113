package specs

import (
	"context"
	"errors"
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

// Fetcher gets the documents of specifications; *fetch.Client is one. Only public addresses are reached.
type Fetcher interface {
	// GetChanged gets at most so many bytes, or an answer of status 304 where the ETag still names what is there.
	GetChanged(ctx context.Context, url string, maxBytes int64, etag string) (*fetch.Response, error)
}

// How often a source is asked. After failures it is asked at intervals that double, up to the last of these.
const (
	readInterval     = 24 * time.Hour
	lastReadInterval = 7 * readInterval
	readSpread       = 2 * time.Hour // by which intervals are shorter or longer, so that sources are not all asked at once

	maxETag = 1 << 10 // bytes; a longer one is not kept
)

// nextReading is how long after a reading the source of a specification is asked again, after so many failures in a
// row. It is another time on each day, but the same on every node.
func nextReading(id string, failures int, now time.Time) time.Duration {
	interval := lastReadInterval
	if failures < 3 {
		interval = min(readInterval<<failures, lastReadInterval)
	}
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, id, now.Unix()/int64(readInterval/time.Second))
	spread := time.Duration(h.Sum64() % uint64(readSpread))
	return interval - readSpread/2 + spread.Truncate(time.Second)
}

// sourceReading is one reading of a source. For each document there has to be room.
type sourceReading struct {
	service *Service
	of      store.OpenAPISpecDocument
	turn    *budgets.Work
	etags   map[string]string // of what was fetched, by address
	waited  time.Duration     // for the servers of the documents
}

// slow reports whether the servers of the documents took long.
func (r *sourceReading) slow() bool { return r.waited >= slowReading }

// fetch gets a document. What did not change since the last version comes from there.
func (r *sourceReading) fetch(ctx context.Context, address string) ([]byte, error) {
	var kept store.FetchedFile
	if i := slices.IndexFunc(r.of.Private.Fetched, func(f store.FetchedFile) bool { return f.URL == address }); i >= 0 {
		kept = r.of.Private.Fetched[i]
	}
	data, etag, err := r.changed(ctx, address, kept)
	if errors.Is(err, objects.ErrMissing) { // what is stored was lost: the source has it
		data, etag, err = r.changed(ctx, address, store.FetchedFile{})
	}
	if err != nil {
		return nil, err
	}
	if len(etag) <= maxETag {
		r.etags[address] = etag
	}
	return data, r.turn.Grow(ctx, len(data)*budgets.SpecFactor)
}

// changed asks for what differs from a document that is kept.
func (r *sourceReading) changed(ctx context.Context, address string, kept store.FetchedFile) (data []byte, etag string, err error) {
	began := r.service.Store.Now()
	response, err := r.service.Fetcher.GetChanged(ctx, address, maxSpecBytes, kept.ETag)
	r.waited += r.service.Store.Now().Sub(began)
	if err != nil {
		return nil, "", err
	}
	if response.Status != http.StatusNotModified {
		return response.Body, response.Header.Get("Etag"), nil
	}
	data, err = r.service.Revisions.ReadFile(ctx, r.of.Fields.ID, kept.Manifest)
	return data, kept.ETag, err
}

// fetched are the documents that the next reading can ask for by ETag.
func (r *sourceReading) fetched(read openapi.Document) (files []store.FetchedFile) {
	content := r.service.Store.Content(r.of.Fields.ID)
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

// PlanReads plans that sources are asked which nobody would ask otherwise, such as those of specifications that an
// earlier build has stored. A node does it when it begins.
func (s *Service) PlanReads(ctx context.Context) error {
	organizations, err := s.Store.Organizations(ctx)
	if err != nil {
		return err
	}
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		b := s.Store.Pipeline()
		members, due := make([][]string, len(page)), make([][]string, len(page))
		for i, org := range page {
			b.Range(store.OpenAPISpecsKey(org), "", -1, false).Into(&members[i])
			b.Range(txn.DueKey(org), "", -1, false).Into(&due[i])
		}
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("specifications that nobody asks for: %w", err)
		}
		for i, org := range page {
			if err := s.planReadsOf(ctx, org, members[i], due[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// planReadsOf plans the readings of those specifications of an organization that have an address and no job.
func (s *Service) planReadsOf(ctx context.Context, org string, members, due []string) error {
	var slugs []string
	for _, member := range members {
		slug := store.OpenAPISpecSlug(member)
		if !slices.Contains(due, txn.JobName(store.OpenAPIReadKind, slug)) {
			slugs = append(slugs, slug)
		}
	}
	for some := range slices.Chunk(slugs, specStep) {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, slug := range some {
				d, err := tx.OpenAPISpec(org, slug)
				if err != nil {
					return err
				}
				if d.Version > 0 && d.Fields.SourceURL != "" {
					tx.ScheduleOnce(org, txn.JobName(store.OpenAPIReadKind, slug), nextReading(d.Fields.ID, 0, tx.Now())/2)
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
