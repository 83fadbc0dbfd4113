package txn

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"docspace.dev/wsd/store/redis"
)

// Command is a command of the operator that opened the store. Every organization and user that it changes gets an event with its name
// and that of the operator: those of the changes, or one of the type EventCommand for all changes that have none.
type Command struct {
	Name     string // as in "wsd quota set"
	Operator string // user of the operating system and host, as in "root@docs-1"

	mu      sync.Mutex
	changed map[string]bool
}

// Changed returns the ids of the organizations and users that the command has changed, sorted.
func (c *Command) Changed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.changed))
}

func (c *Command) hasChanged(owner string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed[owner]
}

func (c *Command) noteChange(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = map[string]bool{}
	}
	c.changed[owner] = true
}

// HasCommand reports whether a command of the operator has opened the store.
func (s *Store) HasCommand() bool { return s.command != nil }

// describe adds the command to the fields of an event.
func (c *Command) describe(fields map[string]string) map[string]string {
	described := map[string]string{"command": c.Name, "operator": c.Operator}
	maps.Copy(described, fields)
	return described
}

// EventCommand is the type of the event of a change that a command made and that has no event of its own.
const EventCommand = "command"

// noteCommand appends the event of the command that opened the store, unless the transaction changes nothing or has an event, or the
// command has left one here.
func (tx *Tx) noteCommand() {
	c := tx.store.command
	if c == nil || len(tx.events) > 0 || len(tx.writes) == 0 || c.hasChanged(ownerOf(tx.shard)) {
		return
	}
	tx.Event(map[string]string{
		"type": EventCommand, "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "id": ownerOf(tx.shard),
	})
}

// ownerOf returns the id of the organization or user whose shard it is.
func ownerOf(s redis.Shard) string {
	tag := strings.Trim(s.Tag(), "{}")
	return tag[strings.LastIndexByte(tag, ':')+1:]
}
