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

// A repair restores unreadable content with the least loss: wsd fsck finds the spaces, NewPlan determines the affected pages,
// files and revisions, and Plan.Apply restores their last readable state. It may run concurrently with a server, since heads
// move only if they have not changed.

// Damage is an unreadable item and the effect of the repair on it.
type Damage struct {
	Space    string `json:"space"`
	Title    string `json:"title"` // of the space
	Request  int    `json:"changeRequest,omitzero"`
	Kind     string `json:"kind"`
	ID       string `json:"id,omitzero"`
	Name     string `json:"name,omitzero"`
	Revision string `json:"revision,omitzero"` // revision that introduced the item
	Author   string `json:"author,omitzero"`   // author of that revision
	Outcome  string `json:"outcome"`
	GivenUp  bool   `json:"givenUp"` // content written by users is lost
}

// Kinds of damage.
const (
	DamagedPage     = "page"
	DamagedReusable = "reusable content"
	DamagedFile     = "file"
	DamagedPart     = "part of the tree"
	DamagedLinks    = "links"
	DamagedSources  = "sources"
	DamagedSpec     = "specification"
	DamagedRevision = "revision"
	DamagedHistory  = "history"
)

// String formats the damage as one line.
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

// Plan is a planned repair of one or more spaces.
type Plan struct {
	env    *environment
	spaces []*spaceRepair
}

// NewPlan examines spaces with unreadable content and plans their repair. A nil clock means time.Now.
func NewPlan(ctx context.Context, st *store.Store, clock redis.Clock, spaces []fsck.UnreadableSpace) (*Plan, error) {
	if clock == nil {
		clock = time.Now
	}
	r := &Plan{env: &environment{
		store: st, clock: clock, ids: txn.NewIDGenerator(clock), revisions: revision.New(st, budgets.Defaults().TreeBytes),
	}}
	for _, at := range spaces {
		st.ForgetContent(at.Space)
		p := &spaceRepair{env: r.env, org: at.Organization, space: at.Space, reverted: map[string]*revision.Page{}}
		if err := p.examine(ctx); err != nil {
			return nil, fmt.Errorf("space %s: %w", at.Space, err)
		}
		r.spaces = append(r.spaces, p)
	}
	return r, nil
}

// Damages lists the unreadable items.
func (pl *Plan) Damages() (list []Damage) {
	for _, p := range pl.spaces {
		list = append(list, p.damages...)
	}
	return list
}

// LostCount returns the number of lost items written by users.
func (pl *Plan) LostCount() (n int) {
	for _, d := range pl.Damages() {
		if d.GivenUp {
			n++
		}
	}
	return n
}

// Apply applies the plan. It returns the ids of the draft change requests created for texts that are readable
// elsewhere.
func (pl *Plan) Apply(ctx context.Context) (drafts []string, err error) {
	for _, p := range pl.spaces {
		draft, err := p.repair(ctx)
		if err != nil {
			return drafts, fmt.Errorf("space %s: %w", p.space, err)
		}
		if draft != "" {
			drafts = append(drafts, draft)
		}
	}
	return drafts, nil
}

// spaceRepair is the repair of one space with unreadable content.
type spaceRepair struct {
	env   *environment
	org   string
	space string
	title string

	heads     map[string]store.Head // by id: of the space and of its change requests
	requests  map[string]store.ChangeRequestDocument
	revisions map[string]revision.Revision // all readable revisions, by id
	damages   []Damage
	plans     []*headPlan
	reverted  map[string]*revision.Page // pages of the space whose text the repair reverted, in their reverted state

	reported map[string]bool // unreadable objects covered by a damage
}

// examine reads the heads, records and revisions of the space and plans the repair.
func (sr *spaceRepair) examine(ctx context.Context) (err error) {
	if sr.heads, err = sr.env.store.LoadHeads(ctx, sr.org, sr.space); err != nil {
		return err
	}
	sr.damages, sr.plans, sr.reported = nil, nil, map[string]bool{}
	if err := sr.readRecords(ctx); err != nil {
		return err
	}
	sr.revisions = map[string]revision.Revision{}
	err = sr.env.store.VisitObjects(ctx, sr.space, func(o objects.Object) error {
		if r, ok := decodeRevision(o); ok {
			sr.revisions[revision.RevisionPrefix+o.Hash] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(sr.heads)) {
		plan, err := sr.planHead(ctx, id)
		if err != nil {
			return err
		}
		if plan != nil {
			sr.plans = append(sr.plans, plan)
		}
	}
	return sr.examineHistory(ctx)
}

// readRecords reads the records of the space and its change requests.
func (sr *spaceRepair) readRecords(ctx context.Context) error {
	b := sr.env.store.NewBatch()
	space, requests := b.Record(store.SpaceKey(sr.org, sr.space)), map[string]*txn.Future[txn.Record]{}
	for id := range sr.heads {
		if id != sr.space {
			requests[id] = b.Record(store.ChangeRequestKey(sr.org, id))
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
	sr.title, sr.requests = d.Fields.Title, map[string]store.ChangeRequestDocument{}
	for id, future := range requests {
		record, ok, err := future.Get()
		if err != nil || !ok {
			return rest.NotFoundIfNil(err)
		}
		var r store.ChangeRequestDocument
		if err := r.Decode(record); err != nil {
			return err
		}
		sr.requests[id] = r
	}
	return nil
}

// decodeRevision decodes an object as a revision. It reports false unless the revision encodes to the same object.
func decodeRevision(o objects.Object) (revision.Revision, bool) {
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

// addDamage records a damage with the space and, if the head is that of a change request, its number.
func (sr *spaceRepair) addDamage(head string, d Damage) {
	d.Space, d.Title = sr.space, sr.title
	if r, ok := sr.requests[head]; ok {
		d.Request = r.Fields.Number
	}
	sr.damages = append(sr.damages, d)
}

// ancestors returns the readable revisions in the history of a head, from the given one, newest first. If a revision
// is missing, the history continues with its presumed parent.
func (sr *spaceRepair) ancestors(head, from string) (line []revision.HistoricalRevision) {
	id, seen := from, map[string]bool{}
	child := revision.Revision{CreatedAt: sr.heads[head].MovedAt}
	for id != "" && !seen[id] {
		seen[id] = true
		r, ok := sr.revisions[id]
		if !ok {
			id = sr.guessParent(head, id, child)
			continue
		}
		line, child = append(line, revision.HistoricalRevision{ID: id, Revision: r}), r
		if id = ""; len(r.Parents) > 0 {
			id = r.Parents[0]
		}
	}
	return line
}

// guessParent returns the presumed parent of a revision that is not readable: the newest revision of the same history
// that is older than child. If a change request has none, it is the initial revision.
func (sr *spaceRepair) guessParent(head, lost string, child revision.Revision) string {
	request, isRequest := sr.requests[head]
	best := ""
	if isRequest && lost != request.Fields.RevisionInitial {
		best = request.Fields.RevisionInitial
	}
	taken := sr.otherHistories(head)
	for id, r := range sr.revisions {
		fits := !taken[id] && !r.CreatedAt.After(child.CreatedAt) && (child.Number == 0 || r.Number < child.Number-1)
		if isRequest && best != "" { // its own revisions, after the initial one
			fits = fits && r.Author != "" && r.CreatedAt.After(sr.revisions[best].CreatedAt) &&
				slices.Contains(request.Private.Contributors, r.Author) &&
				r.Type != api.RevisionMerge
		}
		if fits && (best == "" || isBetterParent(r, sr.revisions[best], id, best)) {
			best = id
		}
	}
	return best
}

// isBetterParent reports whether a is a more likely parent than b: a higher number, then a later time, then a smaller
// id.
func isBetterParent(a, b revision.Revision, idA, idB string) bool {
	if a.Number != b.Number {
		return a.Number > b.Number
	}
	if !a.CreatedAt.Equal(b.CreatedAt) {
		return a.CreatedAt.After(b.CreatedAt)
	}
	return idA < idB
}

// otherHistories returns the revisions in the histories of other heads: those of change requests after their initial
// revision, and those of the space.
func (sr *spaceRepair) otherHistories(but string) map[string]bool {
	taken := map[string]bool{}
	for id, head := range sr.heads {
		request, isRequest := sr.requests[id]
		if id == but || !isRequest && but == sr.space {
			continue
		}
		for at := head.Revision; at != "" && !taken[at] && (!isRequest || at != request.Fields.RevisionInitial); {
			r, ok := sr.revisions[at]
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
