package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// MaxPlans bounds the plans made for one request before it fails as busy. Each new plan means that another writer has
// moved the head, so this is the number of concurrent writers.
const MaxPlans = 50

// RetryPlan calls run, which plans and commits, until it does not return store.ErrHeadMoved. After MaxPlans calls it returns
// txn.ErrBusy.
func RetryPlan[Out any](run func() (Result[Out], error)) (Result[Out], error) {
	for range MaxPlans {
		r, err := run()
		if !errors.Is(err, store.ErrHeadMoved) {
			return r, err
		}
	}
	return Result[Out]{}, txn.ErrBusy
}

// PutIfChanged writes a record with put if changed is set. It returns the result that show makes of the written record or, if
// changed is not set, of the stored one.
func PutIfChanged[Out any](
	tx *store.Tx, key redis.Key, changed bool, put func() (txn.Record, error), show func(txn.Record) (Result[Out], error),
) (Result[Out], error) {
	record, _, err := tx.Record(key)
	if changed && err == nil {
		record, err = put()
	}
	if err != nil {
		return Result[Out]{}, err
	}
	result, err := show(record)
	result.Unchanged = !changed
	return result, err
}

// Commit runs a handler as one transaction. The guards of the permission are in its read set, If-Match is checked,
// and the event and the idempotency record are written together with the effect. A dry run does all of it without
// writing.
func Commit[Out any](ctx context.Context, c *Call, shard redis.Shard, handle func(*store.Tx) (Result[Out], error)) (Result[Out], error) {
	options := txn.UpdateOptions{
		DryRun: c.DryRun, Idempotency: c.Idempotency(), Guards: c.Guards, EnforceQuota: c.Endpoint.countsTowardsQuota(),
	}
	var out Result[Out]
	err := c.pipeline.store.Update(ctx, shard, options, func(tx *store.Tx) error {
		c.onCommit, c.notes, c.difference = nil, nil, eventlog.Diff{}
		if err := c.Match(tx); err != nil {
			return err
		}
		if c.Endpoint.creates() {
			tx.MarkAddsContent()
		}
		r, err := handle(tx)
		if err != nil {
			return err
		}
		r = r.withRemoval(c)
		out = r
		if r.Unchanged {
			return nil
		}
		if !r.Quiet {
			event, err := c.event(tx, r.untyped())
			if err != nil {
				return err
			}
			tx.Event(event)
		}
		header := map[string]string{"Etag": EntityTag(r.Version, r.JSON), "Location": r.location}
		if r.removal != nil {
			header[api.RemovedHeader] = r.removal.Header()
		}
		tx.Answer(txn.Answer{Status: c.Endpoint.Row.Status, ID: r.ID, Body: r.JSON, Header: header})
		return nil
	})
	if err == nil && c.onCommit != nil && !c.DryRun {
		c.onCommit()
	}
	if replay := (*txn.ReplayError)(nil); errors.As(err, &replay) {
		err = c.recheckReplay(shard, replay, func(tx *store.Tx) error {
			_, err := handle(tx)
			return err
		})
	}
	return out, err
}

// Idempotency returns the idempotency key bound to the principal, the operation and the request, or nil without a
// key.
func (c *Call) Idempotency() *txn.Idempotency {
	key := c.HTTP.Header.Get("Idempotency-Key")
	if key == "" {
		return nil
	}
	return &txn.Idempotency{
		Key:         store.Hash(c.Caller.User, c.Endpoint.Row.Name, key),
		Fingerprint: store.Hash(c.HTTP.Method, c.HTTP.URL.Path, c.HTTP.URL.RawQuery, c.fingerprint()),
		Save:        !c.Endpoint.Row.Secret,
	}
}

// StoredAnswer returns the stored response of a repeated request as an error, or nil. Handlers call it before work
// outside of the transaction.
func (c *Call) StoredAnswer() error {
	idempotency := c.Idempotency()
	if idempotency == nil {
		return nil
	}
	options := txn.UpdateOptions{DryRun: true, Idempotency: idempotency}
	return c.pipeline.store.Update(c.ctx, c.Shard(), options, func(*store.Tx) error { return nil })
}

// replay returns the status, the result and the headers of a stored response. It returns an error if the key was used for
// another request.
func (c *Call) replay(r *txn.ReplayError) (int, Result[any], http.Header, error) {
	header := http.Header{"Idempotency-Replayed": {"true"}}
	if c.Idempotency().Fingerprint != r.Fingerprint {
		return 0, Result[any]{}, nil, api.Errorf(http.StatusUnprocessableEntity, api.ReasonKeyReused,
			"This Idempotency-Key was used for another request.").WithHint("Use a new key for a new request.")
	}
	if !r.Saved && c.Endpoint.Row.Secret {
		return 0, Result[any]{}, nil, api.Errorf(http.StatusConflict, api.ReasonAnswerSecret,
			"This request was carried out before; its answer held a secret and was not kept. It made %s.", r.Answer.ID)
	}
	body := r.Answer.Body
	if !r.Saved && r.Answer.ID != "" {
		body, _ = json.Marshal(map[string]string{"id": r.Answer.ID})
	}
	for name, v := range r.Answer.Header {
		if v != "" {
			header.Set(name, v)
		}
	}
	return r.Answer.Status, Result[any]{JSON: body}, header, nil
}

// EntityTag returns the ETag of a response: its version and a hash of its body (docs/decisions.md#etags). The version
// is that of a record, followed by ".<revision>" if the response contains content. Lists have no ETag.
func EntityTag(version string, body []byte) string {
	if version == "" {
		return ""
	}
	sum := sha256.Sum256(body)
	return `"` + version + "-" + hex.EncodeToString(sum[:8]) + `"`
}

// RecordVersion returns the version part of an ETag.
func RecordVersion(r txn.Record) string { return strconv.FormatInt(r.Version, 10) }

// Match returns an error if the request has an If-Match header that does not match the version read in the transaction.
func (c *Call) Match(tx *store.Tx) error {
	if header := c.HTTP.Header.Get("If-Match"); header == "" || header == "*" {
		return nil
	}
	var now string
	if c.Endpoint.matchHead {
		head, ok, err := tx.Head(c.Org, c.headID())
		if err != nil || !ok {
			return err
		}
		now = head.Revision
	} else {
		key, ok := c.Record()
		if !ok {
			return api.InvalidParam(api.FieldError{Path: "If-Match", Message: "does not go with this operation"})
		}
		record, ok, err := tx.Record(key)
		if err != nil || !ok && !c.Endpoint.createdByWrite {
			return err
		}
		now = RecordVersion(record)
	}
	return c.matchTags(now)
}

// MatchHead returns an error if the request has an If-Match header that does not match the revision of the head. Operations
// whose If-Match is a head call it before work that depends on the head, since that could fail where the head has moved.
func (c *Call) MatchHead(revision string) error {
	if header := c.HTTP.Header.Get("If-Match"); header == "" || header == "*" || !c.Endpoint.matchHead {
		return nil
	}
	return c.matchTags(revision)
}

// matchTags returns an error unless one of the tags in If-Match is current: now is the version of the record, or the revision
// of the head.
func (c *Call) matchTags(now string) error {
	header := c.HTTP.Header.Get("If-Match")
	for tag := range strings.SplitSeq(header, ",") {
		if c.isCurrentTag(tag, now) {
			return nil
		}
	}
	return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition, "It has changed since: If-Match is %s.",
		c.Endpoint.binder.echo(header)).
		WithHint("Read it again, and decide whether the change still fits.")
}

// isCurrentTag reports whether the part of a tag that the operation depends on, the version or the revision, equals now.
func (r *Request) isCurrentTag(tag, now string) bool {
	text := strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
	if at := strings.LastIndexByte(text, '-'); at >= 0 {
		text = text[:at]
	}
	version, revision, _ := strings.Cut(text, ".")
	if r.Endpoint.matchHead {
		return revision == now
	}
	return version == now
}

// headID returns the id of the head that the operation moves: that of the change request in the path, or of the space if there
// is none.
func (r *Request) headID() string {
	if id := r.Path("changeRequest"); id != "" {
		return store.RequestIDOf(r.Path("space"), id)
	}
	return r.Path("space")
}
