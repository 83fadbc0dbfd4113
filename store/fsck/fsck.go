package fsck

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Options selects the changes that Run may make.
type Options struct {
	// Repair rebuilds derived data: indexes, access entries, counts, registry, claims. Records and objects are never
	// invented; a unique name that several records have is taken from all but one. A concurrent sweep of another
	// process is treated as interrupted and ended.
	Repair bool
	// GC removes the objects that no head reaches. While a space is swept, commits that store objects in it wait.
	GC bool
}

// Finding is a violated invariant.
type Finding struct {
	Key      string // without prefix
	Item     string // field, member or object; "" = the whole key
	Problem  string
	Repaired bool
}

// String returns the finding in one line.
func (f Finding) String() string {
	text := f.Key
	if f.Item != "" {
		text += " " + f.Item
	}
	if text += ": " + f.Problem; f.Repaired {
		text += " (repaired)"
	}
	return text
}

// Report is the result of Run.
type Report struct {
	Organizations int
	Records       int
	Objects       int
	Removed       int // unreachable objects, with GC
	Findings      []Finding
	Unreadable    []UnreadableSpace // spaces with unreadable content
	Notes         []string          // valid conditions that should not persist
}

// UnreadableSpace is a space in which objects are missing or damaged.
type UnreadableSpace struct{ Organization, Space string }

// Clean reports whether there are no findings, or all of them were repaired.
func (r Report) Clean() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Repaired })
}

// problem is a finding and its repair, if there is one.
type problem struct {
	Finding
	repair func(ctx context.Context) error
}

// Run checks every invariant of the data: keys are in the catalogue, records decode, indexes, access entries and counts
// match the records, order keys are ordered, each unique name has one owner, and every object that a head reaches is
// stored and matches its hash. It may run concurrently with writes: a problem is reported only if two passes find it.
func Run(ctx context.Context, s *store.Store, options Options) (Report, error) {
	report, problems, err := inspect(ctx, s)
	if err != nil {
		return Report{}, err
	}
	if len(problems) > 0 {
		again, confirmed, err := inspect(ctx, s)
		if err != nil {
			return Report{}, err
		}
		report, problems = again, intersect(confirmed, problems)
	}
	for _, p := range problems {
		if !options.Repair && store.IsNewIndex(p.Key) && strings.HasPrefix(p.Problem, missingPrefix) {
			continue // earlier builds did not write this index
		}
		if options.Repair && p.repair != nil {
			if err := p.repair(ctx); errors.Is(err, redis.ErrUnavailable) {
				return Report{}, err
			} else if p.Repaired = err == nil; err != nil {
				p.Problem += "; not repaired: " + err.Error()
			}
		}
		report.Findings = append(report.Findings, p.Finding)
	}
	if options.GC {
		return report, sweepAll(ctx, s, &report)
	}
	return report, nil
}

// intersect returns the problems that are in both lists.
func intersect(problems, others []problem) []problem {
	return slices.DeleteFunc(problems, func(p problem) bool {
		return !slices.ContainsFunc(others, func(other problem) bool { return p.Finding == other.Finding })
	})
}

// pass is one pass over all keys.
type pass struct {
	store        *store.Store
	names        []string // of all keys, sorted
	find         func(name string) (store.KeyRow, bool)
	report       Report
	problems     []problem
	placeholders []string               // lost objects with a placeholder
	holders      map[redis.Key][]holder // by claim
}

// inspect makes one pass over all data.
func inspect(ctx context.Context, s *store.Store) (Report, []problem, error) {
	names, err := s.Scan(ctx)
	if err != nil {
		return Report{}, nil, err
	}
	in := &pass{store: s, names: names, find: store.CatalogueMatcher(), holders: map[redis.Key][]holder{}}
	for _, name := range names {
		if _, known := in.find(name); !known {
			in.add(name, "", "not in the catalogue", nil)
		}
	}
	for _, org := range in.organizations() {
		in.report.Organizations++
		if err := in.checkOrganization(ctx, org); err != nil {
			return Report{}, nil, err
		}
	}
	if err := in.checkIntegrations(ctx); err != nil {
		return Report{}, nil, err
	}
	if err := in.noteAccounts(ctx); err != nil {
		return Report{}, nil, err
	}
	if err := in.checkClaims(ctx); err != nil {
		return Report{}, nil, err
	}
	slices.SortStableFunc(in.problems, func(a, b problem) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Item, b.Item))
	})
	return in.report, in.problems, nil
}

// add adds a problem of a key, or of an item in it. repair may be nil.
func (in *pass) add(key, item, text string, repair func(ctx context.Context) error) {
	in.problems = append(in.problems, problem{Finding{Key: key, Item: item, Problem: text}, repair})
}

// organizations returns the organizations that have keys.
func (in *pass) organizations() []string {
	var ids []string
	for _, name := range in.names {
		if tag, _, _ := strings.Cut(name, "}"); strings.HasPrefix(tag, "{"+txn.OrganizationPrefix) {
			ids = append(ids, tag[1:])
		}
	}
	return slices.Compact(ids) // names are sorted
}

// knownKeys returns an organization's keys of a kind that are in the catalogue.
func (in *pass) knownKeys(org string, kind redis.Kind) []string {
	prefix := "{" + org + "}:"
	from, _ := slices.BinarySearch(in.names, prefix)
	var names []string
	for _, name := range in.names[from:] {
		if !strings.HasPrefix(name, prefix) {
			break
		}
		if row, known := in.find(name); known && row.Kind == kind {
			names = append(names, name)
		}
	}
	return names
}

// addUnreadable adds a problem for a key of the wrong type, and returns any other error.
func (in *pass) addUnreadable(ctx context.Context, name string, err error) error {
	if goredis.HasErrorPrefix(err, "WRONGTYPE") {
		in.add(name, "", "has another type", nil)
		return nil
	}
	return redis.Wrap(ctx, err)
}

// checkRegistry checks that the registry contains an organization.
func (in *pass) checkRegistry(ctx context.Context, org string) error {
	s, part := in.store, store.RegistryKey(org)
	redis.FailBefore("fsck.registry")
	err := s.Client.ZScore(ctx, s.Name(part), org).Err()
	redis.FailAfter("fsck.registry")
	if !errors.Is(err, goredis.Nil) {
		return in.addUnreadable(ctx, part.Name(), err)
	}
	in.add(part.Name(), org, "organization is not registered", func(ctx context.Context) error {
		redis.FailBefore("fsck.register")
		err := s.Client.ZAdd(ctx, s.Name(part), goredis.Z{Member: org}).Err()
		redis.FailAfter("fsck.register")
		return redis.Wrap(ctx, err)
	})
	return nil
}

// readHash reads a whole HASH.
func (in *pass) readHash(ctx context.Context, key redis.Key) (map[string]string, error) {
	redis.FailBefore("fsck.hash")
	fields, err := in.store.Client.HGetAll(ctx, in.store.Name(key)).Result()
	redis.FailAfter("fsck.hash")
	return fields, in.addUnreadable(ctx, key.Name(), err)
}
