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

// Person is the entry of a current or former member.
type Person struct {
	store.Person
	Entry        string
	PublicFields json.RawMessage // JSON of the public fields
}

// NewPerson returns the person of an entry and its stored form.
func NewPerson(p store.Person, entry []byte) *Person {
	user, _ := json.Marshal(p.User)
	return &Person{Person: p, Entry: string(entry), PublicFields: user}
}

// teams returns the team roles of a member, including those in deleted teams.
func (p *Person) teams() map[string]api.TeamRole {
	if p == nil || p.Member == nil {
		return nil
	}
	return p.Member.Teams
}

func (m *Model) applyPerson(id string, entry []byte) {
	var p store.Person
	var now *Person
	if entry != nil && json.Unmarshal(entry, &p) == nil {
		now = NewPerson(p, entry)
	}
	m.updateTeamMembers(id, m.persons[id].teams(), now.teams())
	m.setPersonTitle(id, now)
	if now == nil {
		delete(m.persons, id) // fsck reports a damaged entry; a user without an entry is not a member
		return
	}
	m.persons[id] = now
}

// updateTeamMembers updates the index of team members for a user whose teams changed.
func (m *Model) updateTeamMembers(user string, before, after map[string]api.TeamRole) {
	for name := range before {
		if _, stays := after[name]; !stays {
			m.teamMembers[name].remove(user)
		}
	}
	for name := range after {
		if _, was := before[name]; was {
			continue
		}
		if m.teamMembers[name] == nil {
			m.teamMembers[name] = newIDList(strings.Compare)
		}
		m.teamMembers[name].add(user)
	}
}

// Team is the entry of a team.
type Team struct {
	api.TeamFields
	entry string
}

func (m *Model) applyTeam(id string, entry []byte) {
	t := &Team{entry: string(entry)}
	if entry == nil || json.Unmarshal(entry, &t.TeamFields) != nil {
		delete(m.teams, id)
		m.titles.remove(id)
		return
	}
	m.teams[id] = t
	m.titles.set(id, &t.Title)
}

// Team returns a team, or nil if it does not exist.
func (m *Model) Team(id string) *Team { return m.teams[id] }

// TeamIDs returns the set of existing teams.
func (m *Model) TeamIDs() map[string]bool {
	ids := make(map[string]bool, len(m.teams))
	for id := range m.teams {
		ids[id] = true
	}
	return ids
}

// TeamMembers returns the sorted ids of the members of a team.
func (m *Model) TeamMembers(team string) []string {
	if list := m.teamMembers[team]; list != nil {
		return list.sorted()
	}
	return nil
}

// Person returns a current or former member, or nil.
func (m *Model) Person(user string) *Person { return m.persons[user] }

// AllPersons iterates over current and former members by id, in no particular order.
func (m *Model) AllPersons() iter.Seq2[string, *Person] { return maps.All(m.persons) }

// Member returns a current member, or nil.
func (m *Model) Member(user string) *Person {
	if p := m.persons[user]; p != nil && p.Member != nil {
		return p
	}
	return nil
}

// TeamsOf returns the roles of a member in existing teams.
func (m *Model) TeamsOf(p *Person) map[string]api.TeamRole {
	deleted := func(name string, _ api.TeamRole) bool { return m.teams[name] == nil }
	existing := maps.Clone(p.Member.Teams)
	maps.DeleteFunc(existing, deleted)
	return existing
}

// CallerOf returns a copy of c with the access that the membership p gives: none while the account is disabled.
func (m *Model) CallerOf(c *Caller, p *Person) *Caller {
	joined := *c
	if p.Member.Disabled {
		return &joined
	}
	joined.IsMember, joined.Role = true, p.Member.Role
	joined.Grants, joined.Teams = p.Member.Grants, m.TeamsOf(p)
	if c.hasMaxAge(m.tokenMaxAge) {
		joined.ExpiresAt = c.ExpiryFor(api.At(c.AgeFrom.Add(m.tokenMaxAge)))
	}
	return &joined
}

// HighestRole returns the highest of the roles of a member in the organization and in its spaces, collections and sites.
func (m *Model) HighestRole(p *Person) api.Role {
	c := m.CallerOf(&Caller{User: p.User.ID}, p)
	best := c.Role
	ids := slices.Concat(m.collections.sorted(), slices.Collect(maps.Keys(m.specialSpaces)), slices.Collect(maps.Keys(c.Grants)))
	for _, id := range ids { // other spaces have the role of their collection or organization
		if _, active := m.Active(id); active {
			best = api.Highest(best, m.Role(c, id))
		}
	}
	for id := range m.sites {
		best = api.Highest(best, m.SiteRole(c, id))
	}
	return best
}

// ViewerOf returns the viewer of a member.
func (m *Model) ViewerOf(p *Person) *Viewer {
	return NewViewer(m, m.CallerOf(&Caller{User: p.User.ID}, p))
}

// MemberRole returns the effective role of a member in a space or collection and the entry of the member as a dependency.
// ok is false if the user is not a member.
func (m *Model) MemberRole(user, id string) (role api.Role, on Dependency, ok bool) {
	p := m.Member(user)
	if p == nil {
		return api.RoleGuest, Dependency{}, false
	}
	return m.Role(m.CallerOf(&Caller{User: user}, p), id), Dependency{user, p.Entry}, true
}

// MembersByEmail returns the ids of members by e-mail address. Several members may have the same address, because an invite may
// contain the address of another person.
func (m *Model) MembersByEmail() map[string][]string {
	found := make(map[string][]string, len(m.persons))
	for id, p := range m.persons {
		if p.Member != nil && p.User.Email != "" {
			found[p.User.Email] = append(found[p.User.Email], id)
		}
	}
	for _, ids := range found {
		slices.Sort(ids)
	}
	return found
}

// MatchesName reports whether the name or e-mail address contains search, which must be in lower case.
func (p *Person) MatchesName(search string) bool {
	return strings.Contains(strings.ToLower(p.User.DisplayName), search) || strings.Contains(strings.ToLower(p.User.Email), search)
}

// GrantedMembers returns the sorted ids of the members with a direct grant in the content.
func (m *Model) GrantedMembers(content string) []string {
	var users []string
	for user, p := range m.persons {
		if p.Member != nil {
			if _, ok := p.Member.Grants[content]; ok {
				users = append(users, user)
			}
		}
	}
	return users
}

// TeamsByTitle returns the sorted ids of the teams whose title contains a text and that pass the filter.
func (m *Model) TeamsByTitle(title string, filter func(id string) bool) []string {
	title = strings.ToLower(title)
	var ids []string
	for id, t := range m.teams {
		if strings.Contains(strings.ToLower(t.Title), title) && filter(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ManagedByFilter returns a filter for the teams whose members the user may manage. For "" it accepts all teams.
func (m *Model) ManagedByFilter(user string) func(team string) bool {
	if user == "" {
		return func(string) bool { return true }
	}
	p := m.Member(user)
	if p == nil {
		return func(string) bool { return false }
	}
	return m.CallerOf(&Caller{User: user}, p).Manages
}

// IsEmail reports whether a text in the place of a user id is an e-mail address.
func IsEmail(text string) bool { return strings.Contains(text, "@") }

// UserFinder returns a function that returns the users with an id or e-mail address. texts are all arguments of later
// calls.
func (m *Model) UserFinder(texts []string) func(text string) (users []string) {
	var emails map[string][]string
	if slices.ContainsFunc(texts, IsEmail) {
		emails = m.MembersByEmail()
	}
	return func(text string) []string {
		if IsEmail(text) {
			return emails[strings.ToLower(text)]
		}
		return []string{text}
	}
}

// RestorableGrants returns the grants in kept that current members get back, by member and content. Members who joined
// after since get none.
func (m *Model) RestorableGrants(kept map[string]store.TransferredEntryPrivate, since api.Time) map[string]map[string]api.Role {
	grants := map[string]map[string]api.Role{}
	for content, entry := range kept {
		for user, role := range entry.Grants {
			p := m.Member(user)
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

// CountPeople returns the number of current members who are no service accounts.
func (m *Model) CountPeople() (count int) {
	for _, p := range m.persons {
		if p.Member != nil && !p.IsService() {
			count++
		}
	}
	return count
}

// MemberIDs returns the set of current members.
func (m *Model) MemberIDs() map[string]bool {
	ids := map[string]bool{}
	for id, p := range m.persons {
		if p.Member != nil {
			ids[id] = true
		}
	}
	return ids
}
