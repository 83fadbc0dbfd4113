package server

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
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// errHeadMoved says that a plan rests on a head that is no longer the head: plan again.
var errHeadMoved = errors.New("server: the head has moved")

// maxPlans bounds how often a plan is made anew before the caller is asked to come back. Each time it is, somebody else
// has moved the head: this many may be at it at once.
const maxPlans = 50

// replanned runs a plan and its commit until the heads that the plan rests on hold.
func replanned[Out any](run func() (Result[Out], error)) (Result[Out], error) {
	for range maxPlans {
		r, err := run()
		if !errors.Is(err, errHeadMoved) {
			return r, err
		}
	}
	return Result[Out]{}, store.ErrBusy
}

// rewritten answers a record as put writes it, or as it is where nothing changed.
func rewritten[Out any](tx *store.Tx, key redis.Key, changed bool, put func() (store.Record, error), show func(store.Record) (Result[Out], error)) (Result[Out], error) {
	record, _, err := tx.Record(key)
	if changed && err == nil {
		record, err = put()
	}
	if err != nil {
		return Result[Out]{}, err
	}
	result, err := show(record)
	result.unchanged = !changed
	return result, err
}

// commit runs a handler as one transaction: with what the permission rests on in its read set, If-Match checked,
// the event and the answer for repeats written with the effect. A dry run goes all the way and writes nothing.
func commit[Out any](ctx context.Context, c *call, shard redis.Shard, handle func(*store.Tx) (Result[Out], error)) (Result[Out], error) {
	options := store.UpdateOptions{DryRun: c.dryRun, Idempotency: c.idempotency(), Guards: c.guards, Charged: c.endpoint.charged()}
	var out Result[Out]
	err := c.store.Update(ctx, shard, options, func(tx *store.Tx) error {
		c.committed = nil
		if err := c.match(tx); err != nil {
			return err
		}
		if c.endpoint.makes() {
			tx.Adds()
		}
		r, err := handle(tx)
		if err != nil {
			return err
		}
		out = r
		if r.unchanged {
			return nil
		}
		if !r.quiet {
			tx.Event(c.event(tx, r.id))
		}
		tx.Answer(store.Answer{
			Status: c.endpoint.row.Status, ID: r.id, Body: r.json,
			Header: map[string]string{"Etag": entityTag(r.version, r.json), "Location": r.location},
		})
		return nil
	})
	if err == nil && c.committed != nil && !c.dryRun {
		c.committed()
	}
	if replay := (*store.Replay)(nil); errors.As(err, &replay) {
		err = c.replayable(shard, replay, func(tx *store.Tx) error {
			_, err := handle(tx)
			return err
		})
	}
	return out, err
}

// event is what is remembered of every change (audit and, later, delivery): who did what to what, and the least
// role that may see it.
func (c *call) event(tx *store.Tx, id string) map[string]string {
	fields := map[string]string{
		"type": c.endpoint.row.Name, "at": strconv.FormatInt(tx.Now().UnixMilli(), 10),
		"actor": c.caller.User, "request": c.requestID, "role": string(c.endpoint.need.Role), "id": id,
	}
	for _, p := range c.endpoint.params {
		fields[p.Subject] = c.raw(p.Name)
	}
	for name, v := range fields {
		if v == "" {
			delete(fields, name)
		}
	}
	return fields
}

// idempotency binds the caller's key to the principal, the operation and the request.
func (c *call) idempotency() *store.Idempotency {
	key := c.request.Header.Get("Idempotency-Key")
	if key == "" {
		return nil
	}
	return &store.Idempotency{
		Key:         auth.Hash(c.caller.User, c.endpoint.row.Name, key),
		Fingerprint: auth.Hash(c.request.Method, c.request.URL.Path, c.request.URL.RawQuery, string(c.body)),
		Save:        !c.endpoint.row.Secret,
	}
}

// answered finds the answer to a repeated request, which is its error, before work outside the transaction begins.
func (s *Server) answered(c *call) error {
	idempotency := c.idempotency()
	if idempotency == nil {
		return nil
	}
	options := store.UpdateOptions{DryRun: true, Idempotency: idempotency}
	return s.store.Update(c.ctx, c.shard(), options, func(*store.Tx) error { return nil })
}

// replay turns a remembered answer into this one's.
func (c *call) replay(r *store.Replay) (int, Result[any], http.Header, error) {
	header := http.Header{"Idempotency-Replayed": {"true"}}
	if c.idempotency().Fingerprint != r.Fingerprint {
		return 0, Result[any]{}, nil, api.Errorf(http.StatusUnprocessableEntity, api.ReasonKeyReused,
			"This Idempotency-Key was used for another request.").WithHint("Use a new key for a new request.")
	}
	if !r.Saved && c.endpoint.row.Secret {
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
	return r.Answer.Status, Result[any]{json: body}, header, nil
}

// entityTag is the ETag of an answer: its version and a hash of its body (design section 4). A version is that
// of a record, followed by ".<revision>" where the answer shows content. Lists have none.
func entityTag(version string, body []byte) string {
	if version == "" {
		return ""
	}
	sum := sha256.Sum256(body)
	return `"` + version + "-" + hex.EncodeToString(sum[:8]) + `"`
}

// recordVersion is the version part of an ETag.
func recordVersion(r store.Record) string { return strconv.FormatInt(r.Version, 10) }

// match checks If-Match inside the transaction.
func (c *call) match(tx *store.Tx) error {
	header := c.request.Header.Get("If-Match")
	if header == "" || header == "*" {
		return nil
	}
	var now string
	if c.endpoint.onHead {
		head, ok, err := tx.Head(c.org, c.headID())
		if err != nil || !ok {
			return err
		}
		now = head.Revision
	} else {
		key, ok := c.record()
		if !ok {
			return api.InvalidParam(api.FieldError{Path: "If-Match", Message: "does not go with this operation"})
		}
		record, ok, err := tx.Record(key)
		if err != nil || !ok {
			return err
		}
		now = recordVersion(record)
	}
	for tag := range strings.SplitSeq(header, ",") {
		if c.tagMatches(tag, now) {
			return nil
		}
	}
	return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition, "It has changed since: If-Match is %s.", c.endpoint.binder.echo(header)).
		WithHint("Read it again, and decide whether the change still fits.")
}

// tagMatches compares the part of the tag that the operation is about.
func (c *call) tagMatches(tag, now string) bool {
	text := strings.Trim(strings.TrimPrefix(strings.TrimSpace(tag), "W/"), `"`)
	if at := strings.LastIndexByte(text, '-'); at >= 0 {
		text = text[:at]
	}
	version, revision, _ := strings.Cut(text, ".")
	if c.endpoint.onHead {
		return revision == now
	}
	return version == now
}

// headID names the head that the operation moves.
func (c *call) headID() string {
	if id := c.path("changeRequest"); id != "" {
		return requestKey(c.path("space"), id)
	}
	return c.path("space")
}
