package rest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Note adds a field to the event of the call's transaction. It must be called inside the transaction. The value is an id, a
// number or a keyword, never user text. The timeline of a change request consists of these fields.
func (c *Call) Note(name, value string) {
	if c.notes == nil {
		c.notes = map[string]string{}
	}
	c.notes[name] = value
}

// NoteChange adds a changed member to the event of the call's transaction, such as a role, that is not a public member of the
// operation's record. It must be called inside the transaction. The values are ids, numbers or keywords, never user texts.
func (c *Call) NoteChange(name string, before, after any) { c.difference.Add(name, before, after) }

// NoteTextChange adds a changed text to the event of the call's transaction, such as a name, that is not a public member of the operation's
// record. It must be called inside the transaction.
func (c *Call) NoteTextChange(name string) { c.difference.AddText(name) }

// Event returns the event of a change that is committed outside of Commit. id is that of the changed object.
func (c *Call) Event(tx *store.Tx, id string) (map[string]string, error) {
	return c.event(tx, Result[any]{ID: id})
}

// ForeignEvent returns the event of a change in another organization than that of the call, whose admins are not shown the token, the
// request and the address of the client.
func (c *Call) ForeignEvent(tx *store.Tx, id string) map[string]string {
	return map[string]string{
		eventlog.Type: c.Endpoint.Row.Name, eventlog.At: strconv.FormatInt(tx.Now().UnixMilli(), 10), eventlog.Actor: c.Caller.User,
		eventlog.ID: id,
	}
}

// event returns the event of a change with the given result: actor, operation, objects and what has changed. The events of
// operations with secrets contain only ids.
func (c *Call) event(tx *store.Tx, r Result[any]) (map[string]string, error) {
	fields := c.ForeignEvent(tx, r.ID)
	fields[eventlog.Token], fields[eventlog.Request] = c.Caller.Token, c.requestID
	if c.Caller.Installation != nil {
		fields[eventlog.Installation] = c.Caller.Installation.ID
	}
	for _, p := range c.Endpoint.params {
		if id := c.pathValue(p.Name); !auth.IsSecret(id) {
			fields[p.Subject] = id
		}
	}
	maps.Copy(fields, c.notes)
	audit := c.auditMembers()
	if err := c.describeObject(tx, r, fields, &audit); err != nil {
		return nil, err
	}
	audit.Set(fields)
	for name, v := range fields {
		if v == "" {
			delete(fields, name)
		}
	}
	eventlog.Fit(fields)
	return fields, nil
}

// auditMembers returns where the request came from. Changes of users and integrations do not contain it, because it concerns no
// organization.
func (c *Call) auditMembers() (audit eventlog.Audit) {
	inOrganization := c.Org != "" && c.Path("integration") == ""
	if inOrganization && c.HTTP != nil && c.pipeline.auditAddresses {
		audit.Address, audit.UserAgent = auth.Address(c.HTTP), c.HTTP.UserAgent()
	}
	return audit
}

// describeObject adds the version of the changed object, its title and its changed members to an event.
func (c *Call) describeObject(tx *store.Tx, r Result[any], fields map[string]string, audit *eventlog.Audit) error {
	members := c.Endpoint.members
	fields[eventlog.Version], _, _ = strings.Cut(r.Version, ".")
	difference := c.difference
	if before, after, ok := c.changedRecord(tx); ok {
		if after.Version > 0 {
			fields[eventlog.Version] = RecordVersion(after)
		}
		if !c.Endpoint.Row.Secret && c.isObject(r.ID, before) {
			if err := compare(members, before, after, &difference); err != nil {
				return fmt.Errorf("event of %s: %w", c.Endpoint.Row.Name, err)
			}
			audit.Target = cmp.Or(members.Label(after.Public), members.Label(before.Public))
		}
	}
	if c.Endpoint.Row.Secret {
		return nil
	}
	if audit.Target == "" && r.ID != "" && eventlog.ObjectID(r.JSON) == r.ID {
		audit.Target = c.Endpoint.answer.Label(r.JSON)
	}
	audit.Target = cmp.Or(audit.Target, c.label(r.ID))
	if difference.LabelBefore != difference.LabelAfter {
		audit.Before = map[string]string{"title": difference.LabelBefore}
		audit.After = map[string]string{"title": difference.LabelAfter}
	}
	fields[eventlog.Changed] = strings.Join(difference.Changed, " ")
	for name, values := range map[string]map[string]json.RawMessage{
		eventlog.Before: difference.Before, eventlog.After: difference.After,
	} {
		if len(values) == 0 {
			continue
		}
		data, err := json.Marshal(values)
		if err != nil {
			return fmt.Errorf("event of %s: %w", c.Endpoint.Row.Name, err)
		}
		fields[name] = string(data)
	}
	return nil
}

// label returns the title that the access model has of the operation's record, or "". The record has to be that of the object with the
// given id, unless the operation is about the permissions of the record.
func (c *Call) label(id string) (label string) {
	key, ok := c.Record()
	if !ok || c.Model == nil {
		return ""
	}
	name := key.Name()
	of := name[strings.LastIndexByte(name, ':')+1:]
	if of != id && !strings.HasSuffix(c.Endpoint.Row.Resource(), "-permissions") {
		return ""
	}
	c.Access(func(model *access.Model) { label = model.Title(of) })
	return label
}

// changedRecord returns the operation's record before and after the transaction; ok is false if it has none or does not change it.
func (c *Call) changedRecord(tx *store.Tx) (before, after txn.Record, ok bool) {
	key, ok := c.Record()
	if !ok {
		return before, after, false
	}
	return tx.Change(key)
}

// isObject reports whether a record is that of the object with the given id, and not that of an object around it. Records contain
// the id, except for those of members, whose keys do.
func (c *Call) isObject(id string, record txn.Record) bool {
	key, _ := c.Record()
	return id != "" && (strings.HasSuffix(key.Name(), ":"+id) || eventlog.ObjectID(record.Public) == id)
}

// compare adds the changed members of a record to d. A record that is new or removed has none.
func compare(m eventlog.Members, before, after txn.Record, d *eventlog.Diff) error {
	if before.Version == 0 || after.Version == 0 {
		return nil
	}
	found, err := m.Diff(before.Public, after.Public)
	if err != nil {
		return errors.Join(redis.ErrCorrupt, err)
	}
	d.Merge(found)
	return nil
}
