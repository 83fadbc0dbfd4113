package server

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// person is the shape entry of somebody who is or was a member, with its stored form.
type person struct {
	store.Person
	entry string
	user  json.RawMessage // the public fields, written out
}

func newPerson(p store.Person, entry []byte) *person {
	user, _ := json.Marshal(p.User)
	return &person{Person: p, entry: string(entry), user: user}
}

// teams are the teams of a member, those that are deleted included.
func (p *person) teams() map[string]api.TeamRole {
	if p == nil || p.Member == nil {
		return nil
	}
	return p.Member.Teams
}

func (s *shape) applyPerson(id string, entry []byte) {
	var p store.Person
	var now *person
	if entry != nil && json.Unmarshal(entry, &p) == nil {
		now = newPerson(p, entry)
	}
	s.enroll(id, s.people[id].teams(), now.teams())
	if now == nil {
		delete(s.people, id) // damaged: fsck reports it; somebody without an entry is no member
		return
	}
	s.people[id] = now
}

// enroll moves somebody from the rosters of some teams to those of others.
func (s *shape) enroll(user string, before, after map[string]api.TeamRole) {
	for name := range before {
		if _, stays := after[name]; !stays {
			s.rosters[name].remove(user)
		}
	}
	for name := range after {
		if _, was := before[name]; was {
			continue
		}
		if s.rosters[name] == nil {
			s.rosters[name] = newIDList(strings.Compare)
		}
		s.rosters[name].add(user)
	}
}

// team is the shape entry of a team: its public fields as they are stored.
type team struct {
	api.TeamFields
	entry string
}

func (s *shape) applyTeam(id string, entry []byte) {
	t := &team{entry: string(entry)}
	if entry == nil || json.Unmarshal(entry, &t.TeamFields) != nil {
		delete(s.teams, id)
		return
	}
	s.teams[id] = t
}

// roster lists the members of a team by id.
func (s *shape) roster(team string) []string {
	if list := s.rosters[team]; list != nil {
		return list.sorted()
	}
	return nil
}

// member returns somebody who is a member now, or nil.
func (s *shape) member(user string) *person {
	if p := s.people[user]; p != nil && p.Member != nil {
		return p
	}
	return nil
}

// teamsOf are the teams of a member that exist.
func (s *shape) teamsOf(p *person) map[string]api.TeamRole {
	deleted := func(name string, _ api.TeamRole) bool { return s.teams[name] == nil }
	existing := maps.Clone(p.Member.Teams)
	maps.DeleteFunc(existing, deleted)
	return existing
}

// callerOf adds to somebody what their membership gives.
func (s *shape) callerOf(c *Caller, p *person) *Caller {
	joined := *c
	joined.member, joined.Role = true, p.Member.Role
	joined.Grants, joined.Teams = p.Member.Grants, s.teamsOf(p)
	return &joined
}

// viewerOf is what a member sees.
func (s *shape) viewerOf(p *person) *viewer {
	return newViewer(s, s.callerOf(&Caller{User: p.User.ID}, p))
}

// roleOf is the effective role of any member in a space or collection, with the entry that it rests on.
func (s *shape) roleOf(user, id string) (role api.Role, on pathEntry, ok bool) {
	p := s.member(user)
	if p == nil {
		return api.RoleGuest, pathEntry{}, false
	}
	return s.role(s.callerOf(&Caller{User: user}, p), id), pathEntry{user, p.entry}, true
}

// byEmail finds the members who have an e-mail address, by the address. Several may have the same: an invite may name
// an address that is somebody else's.
func (s *shape) byEmail() map[string][]string {
	found := make(map[string][]string, len(s.people))
	for id, p := range s.people {
		if p.Member != nil && p.User.Email != "" {
			found[p.User.Email] = append(found[p.User.Email], id)
		}
	}
	for _, ids := range found {
		slices.Sort(ids)
	}
	return found
}

// owns reports whether a caller is an owner of a team.
func (c *Caller) owns(team string) bool { return c.Teams[team] == api.TeamOwner }

// ownsAny reports whether a caller is an owner of some team.
func (c *Caller) ownsAny() bool {
	return slices.Contains(slices.Collect(maps.Values(c.Teams)), api.TeamOwner)
}

// person writes out a user as other resources show one. The text is never absent: whoever was a member once keeps
// a name.
func (s *Server) person(sh *shape, id string) json.RawMessage {
	var fields []byte
	if p := sh.people[id]; p != nil {
		fields = p.user
	} else if id == systemUser {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: "wsd"})
	} else {
		fields, _ = json.Marshal(api.UserFields{Object: "user", ID: id, DisplayName: "Former member"})
	}
	return s.userObject(sh.org, id, fields)
}

// userObject writes out the public fields of a user with the address of their membership.
func (s *Server) userObject(org, id string, fields []byte) json.RawMessage {
	data, _ := extend(fields).set("urls", api.LocationURLs{Location: s.memberURL(org, id)}).bytes()
	return data
}

func (s *Server) memberURL(org, user string) string {
	return s.publicURL + "/v1/orgs/" + org + "/members/" + user
}
