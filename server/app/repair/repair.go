package repair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// The repair of content that cannot be read. `wsd fsck` finds the spaces, Repair says what that means in pages, files
// and revisions, and mends it with the least loss: what is missing goes back to its last readable state, and all else
// stays. It may run beside a server: heads move only if they are still what they were.

// Damage is one thing that cannot be read, and what a repair makes of it.
type Damage struct {
	Space    string `json:"space"`
	Title    string `json:"title"` // of the space
	Request  int    `json:"changeRequest,omitzero"`
	Kind     string `json:"kind"`
	ID       string `json:"id,omitzero"`
	Name     string `json:"name,omitzero"`
	Revision string `json:"revision,omitzero"` // that brought it
	Author   string `json:"author,omitzero"`   // of that revision
	Outcome  string `json:"outcome"`
	GivenUp  bool   `json:"givenUp"` // something that people wrote is lost
}

// The kinds of damage.
const (
	DamagedPage     = "page"
	DamagedReusable = "reusable content"
	DamagedFile     = "file"
	DamagedPart     = "part of the tree"
	DamagedLinks    = "links"
	DamagedRevision = "revision"
	DamagedHistory  = "history"
)

// String says it in one line.
func (d Damage) String() string {
	where := fmt.Sprintf("space %s (%s)", d.Space, d.Title)
	if d.Request > 0 {
		where += fmt.Sprintf(", change request %d", d.Request)
	}
	what := strings.TrimSpace(d.Kind + " " + d.ID)
	if d.Name != "" {
		what += " (" + d.Name + ")"
	}
	if d.Revision != "" {
		what += " of revision " + d.Revision
	}
	if d.Author != "" {
		what += " by " + d.Author
	}
	return where + ": " + what + ": " + d.Outcome
}

// Plan mends content.
type Plan struct {
	with   *tools
	spaces []*patient
}

// New looks at spaces whose content cannot be read, and plans what to do.
func New(ctx context.Context, st *store.Store, clock redis.Clock, spaces []fsck.UnreadableSpace) (*Plan, error) {
	if clock == nil {
		clock = time.Now
	}
	r := &Plan{with: &tools{
		store: st, clock: clock, ids: txn.NewIDs(clock), revisions: revision.New(st, budgets.Defaults().Trees),
	}}
	for _, at := range spaces {
		st.ForgetContent(at.Space)
		p := &patient{with: r.with, org: at.Organization, space: at.Space}
		if err := p.examine(ctx); err != nil {
			return nil, fmt.Errorf("space %s: %w", at.Space, err)
		}
		r.spaces = append(r.spaces, p)
	}
	return r, nil
}

// Damages lists what cannot be read.
func (r *Plan) Damages() (list []Damage) {
	for _, p := range r.spaces {
		list = append(list, p.damages...)
	}
	return list
}

// GivesUp counts the things that people wrote and that are lost.
func (r *Plan) GivesUp() (n int) {
	for _, d := range r.Damages() {
		if d.GivenUp {
			n++
		}
	}
	return n
}

// Mend carries the plan out. It returns the change requests that were made of what is readable elsewhere.
func (r *Plan) Mend(ctx context.Context) (drafts []string, err error) {
	for _, p := range r.spaces {
		made, err := p.mend(ctx)
		if err != nil {
			return drafts, fmt.Errorf("space %s: %w", p.space, err)
		}
		if made != "" {
			drafts = append(drafts, made)
		}
	}
	return drafts, nil
}

// patient is a space whose content cannot be read as a whole.
type patient struct {
	with  *tools
	org   string
	space string
	title string

	heads    map[string]store.Head // by id: the space's, and those of its change requests
	requests map[string]store.ChangeRequestDocument
	known    map[string]revision.Revision // all revisions that can be read, by id
	damages  []Damage
	plans    []*headPlan
	wanting  map[string]*revision.Page // pages that lost their text in the space, as they stand then

	explained map[string]bool // objects that cannot be read and that a damage speaks of
}

// examine reads what there is, and plans.
func (p *patient) examine(ctx context.Context) (err error) {
	if p.heads, err = p.with.store.HeadsOf(ctx, p.org, p.space); err != nil {
		return err
	}
	p.damages, p.plans, p.wanting, p.explained = nil, nil, map[string]*revision.Page{}, map[string]bool{}
	if err := p.records(ctx); err != nil {
		return err
	}
	p.known = map[string]revision.Revision{}
	err = p.with.store.ObjectsIn(ctx, p.space, func(o objects.Object) error {
		if r, ok := revisionOf(o); ok {
			p.known[revision.RevisionPrefix+o.Hash] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(p.heads)) {
		plan, err := p.planHead(ctx, id)
		if err != nil {
			return err
		}
		if plan != nil {
			p.plans = append(p.plans, plan)
		}
	}
	return p.lookAtHistory(ctx)
}

// records reads the space and its change requests.
func (p *patient) records(ctx context.Context) error {
	b := p.with.store.Pipeline()
	space, requests := b.Record(store.SpaceKey(p.org, p.space)), map[string]*txn.Future[txn.Record]{}
	for id := range p.heads {
		if id != p.space {
			requests[id] = b.Record(store.ChangeRequestKey(p.org, id))
		}
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read records: %w", err)
	}
	record, _, err := space.Get()
	var d store.SpaceDocument
	if err = errors.Join(err, d.Decode(record)); err != nil {
		return err
	}
	p.title, p.requests = d.Fields.Title, map[string]store.ChangeRequestDocument{}
	for id, future := range requests {
		record, ok, err := future.Get()
		if err != nil || !ok {
			return rest.Missing(err)
		}
		var r store.ChangeRequestDocument
		if err := r.Decode(record); err != nil {
			return err
		}
		p.requests[id] = r
	}
	return nil
}

// revisionOf decodes an object that is a revision: only what comes out as it went in is one.
func revisionOf(o objects.Object) (revision.Revision, bool) {
	payload, err := o.Payload()
	if err != nil || !o.IsNode() {
		return revision.Revision{}, false
	}
	var r revision.Revision
	if json.Unmarshal(payload, &r) != nil || r.Type == "" {
		return r, false
	}
	again, err := r.Object()
	return r, err == nil && again.Hash == o.Hash
}

// add notes a damage of a head.
func (p *patient) add(head string, d Damage) {
	d.Space, d.Title = p.space, p.title
	if r, ok := p.requests[head]; ok {
		d.Request = r.Fields.Number
	}
	p.damages = append(p.damages, d)
}

// ancestors are the readable revisions that a revision of a head's line came from, itself included, the newest first. Where one is missing, the
// walk goes on with what was most likely before it.
func (p *patient) ancestors(head, from string) (line []revision.Numbered) {
	id, seen := from, map[string]bool{}
	child := revision.Revision{At: p.heads[head].At}
	for id != "" && !seen[id] {
		seen[id] = true
		r, ok := p.known[id]
		if !ok {
			id = p.before(head, id, child)
			continue
		}
		line, child = append(line, revision.Numbered{ID: id, Revision: r}), r
		if id = ""; len(r.Parents) > 0 {
			id = r.Parents[0]
		}
	}
	return line
}

// before guesses what came before a revision that cannot be read: the newest one of the same line that is old enough.
// For a change request without one it is the revision that it began with.
func (p *patient) before(head, lost string, child revision.Revision) string {
	request, isRequest := p.requests[head]
	best := ""
	if isRequest && lost != request.Fields.RevisionInitial {
		best = request.Fields.RevisionInitial
	}
	taken := p.lines(head)
	for id, r := range p.known {
		fits := !taken[id] && !r.At.After(child.At) && (child.Number == 0 || r.Number < child.Number-1)
		if isRequest && best != "" { // its own, after what it began with
			fits = fits && r.Author != "" && r.At.After(p.known[best].At) && slices.Contains(request.Private.Contributors, r.Author) && r.Type != api.RevisionMerge
		}
		if fits && (best == "" || better(r, p.known[best], id, best)) {
			best = id
		}
	}
	return best
}

// better orders candidates: more revisions led to it, then it is younger.
func better(a, b revision.Revision, idA, idB string) bool {
	if a.Number != b.Number {
		return a.Number > b.Number
	}
	if !a.At.Equal(b.At) {
		return a.At.After(b.At)
	}
	return idA < idB
}

// lines are the revisions that belong to other heads: of change requests those since they began, of the space what
// leads to its head.
func (p *patient) lines(but string) map[string]bool {
	taken := map[string]bool{}
	for id, head := range p.heads {
		request, isRequest := p.requests[id]
		if id == but || !isRequest && but == p.space {
			continue
		}
		for at := head.Revision; at != "" && !taken[at] && (!isRequest || at != request.Fields.RevisionInitial); {
			r, ok := p.known[at]
			if !ok {
				break
			}
			taken[at] = true
			if at = ""; len(r.Parents) > 0 {
				at = r.Parents[0]
			}
		}
	}
	return taken
}
