package access

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// Person is the entry of somebody who is or was a member, with its stored form.
type Person struct {
	store.Person
	Entry   string
	Written json.RawMessage // the public fields
}

// NewPerson reads an entry as it is stored.
func NewPerson(p store.Person, entry []byte) *Person {
	user, _ := json.Marshal(p.User)
	return &Person{Person: p, Entry: string(entry), Written: user}
}

// teams are the teams of a member, those that are deleted included.
func (p *Person) teams() map[string]api.TeamRole {
	if p == nil || p.Member == nil {
		return nil
	}
	return p.Member.Teams
}

func (s *Model) applyPerson(id string, entry []byte) {
	var p store.Person
	var now *Person
	if entry != nil && json.Unmarshal(entry, &p) == nil {
		now = NewPerson(p, entry)
	}
	s.enroll(id, s.people[id].teams(), now.teams())
	if now == nil {
		delete(s.people, id) // damaged: fsck reports it; somebody without an entry is no member
		return
	}
	s.people[id] = now
}

// enroll moves somebody from the members of some teams to those of others.
func (s *Model) enroll(user string, before, after map[string]api.TeamRole) {
	for name := range before {
		if _, stays := after[name]; !stays {
			s.teamMembers[name].remove(user)
		}
	}
	for name := range after {
		if _, was := before[name]; was {
			continue
		}
		if s.teamMembers[name] == nil {
			s.teamMembers[name] = newIDList(strings.Compare)
		}
		s.teamMembers[name].add(user)
	}
}

// Team is the entry of a team: its public fields as they are stored.
type Team struct {
	api.TeamFields
	entry string
}

func (s *Model) applyTeam(id string, entry []byte) {
	t := &Team{entry: string(entry)}
	if entry == nil || json.Unmarshal(entry, &t.TeamFields) != nil {
		delete(s.teams, id)
		return
	}
	s.teams[id] = t
}

// Team returns the team with that id, or nil.
func (s *Model) Team(id string) *Team { return s.teams[id] }

// TeamIDs are the teams that exist.
func (s *Model) TeamIDs() map[string]bool {
	ids := make(map[string]bool, len(s.teams))
	for id := range s.teams {
		ids[id] = true
	}
	return ids
}

// TeamMembers lists the members of a team by id.
func (s *Model) TeamMembers(team string) []string {
	if list := s.teamMembers[team]; list != nil {
		return list.sorted()
	}
	return nil
}

// Person returns somebody who is, or was, a member, or nil.
func (s *Model) Person(user string) *Person { return s.people[user] }

// Everybody goes through all who are or were members, by id, in no order.
func (s *Model) Everybody() iter.Seq2[string, *Person] { return maps.All(s.people) }

// Member returns somebody who is a member now, or nil.
func (s *Model) Member(user string) *Person {
	if p := s.people[user]; p != nil && p.Member != nil {
		return p
	}
	return nil
}

// TeamsOf are the teams of a member that exist.
func (s *Model) TeamsOf(p *Person) map[string]api.TeamRole {
	deleted := func(name string, _ api.TeamRole) bool { return s.teams[name] == nil }
	existing := maps.Clone(p.Member.Teams)
	maps.DeleteFunc(existing, deleted)
	return existing
}

// CallerOf adds to somebody what their membership gives.
func (s *Model) CallerOf(c *Caller, p *Person) *Caller {
	joined := *c
	joined.IsMember, joined.Role = true, p.Member.Role
	joined.Grants, joined.Teams = p.Member.Grants, s.TeamsOf(p)
	return &joined
}

// ViewerOf is what a member sees.
func (s *Model) ViewerOf(p *Person) *Viewer {
	return NewViewer(s, s.CallerOf(&Caller{User: p.User.ID}, p))
}

// RoleOf is the effective role of any member in a space or collection, with the entry that it rests on.
func (s *Model) RoleOf(user, id string) (role api.Role, on Dependency, ok bool) {
	p := s.Member(user)
	if p == nil {
		return api.RoleGuest, Dependency{}, false
	}
	return s.Role(s.CallerOf(&Caller{User: user}, p), id), Dependency{user, p.Entry}, true
}

// ByEmail finds the members who have an e-mail address, by the address. Several may have the same: an invite may name
// an address that is somebody else's.
func (s *Model) ByEmail() map[string][]string {
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

// Named reports whether a text in lower case is in somebody's name or e-mail address.
func (p *Person) Named(search string) bool {
	return strings.Contains(strings.ToLower(p.User.DisplayName), search) || strings.Contains(strings.ToLower(p.User.Email), search)
}

// Granted lists the members who have a grant by name.
func (s *Model) Granted(content string) []string {
	var users []string
	for user, p := range s.people {
		if p.Member != nil {
			if _, ok := p.Member.Grants[content]; ok {
				users = append(users, user)
			}
		}
	}
	return users
}

// TeamsTitled lists the teams with a text in their title that pass a filter, by id.
func (s *Model) TeamsTitled(title string, filter func(id string) bool) []string {
	title = strings.ToLower(title)
	var ids []string
	for id, t := range s.teams {
		if strings.Contains(strings.ToLower(t.Title), title) && filter(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ManagedBy filters teams by who may manage their members; "" lets all through.
func (s *Model) ManagedBy(user string) func(team string) bool {
	if user == "" {
		return func(string) bool { return true }
	}
	p := s.Member(user)
	if p == nil {
		return func(string) bool { return false }
	}
	return s.CallerOf(&Caller{User: user}, p).Manages
}

// Finder returns a function that finds users by id or e-mail address.
func (s *Model) Finder(texts []string) func(text string) (users []string) {
	isEmail := func(text string) bool { return strings.Contains(text, "@") }
	var emails map[string][]string
	if slices.ContainsFunc(texts, isEmail) {
		emails = s.ByEmail()
	}
	return func(text string) []string {
		if isEmail(text) {
			return emails[strings.ToLower(text)]
		}
		return []string{text}
	}
}

// GrantsBack are the grants that members get back, by member and content.
func (s *Model) GrantsBack(kept map[string]store.KeptPrivate, since api.Time) map[string]map[string]api.Role {
	grants := map[string]map[string]api.Role{}
	for content, entry := range kept {
		for user, role := range entry.Grants {
			p := s.Member(user)
			if p == nil || p.JoinedAt.After(since.Time) {
				continue
			}
			if grants[user] == nil {
				grants[user] = map[string]api.Role{}
			}
			grants[user][content] = role
		}
	}
	return grants
}

// MemberIDs are the members of the organization.
func (s *Model) MemberIDs() map[string]bool {
	ids := map[string]bool{}
	for id, p := range s.people {
		if p.Member != nil {
			ids[id] = true
		}
	}
	return ids
}
