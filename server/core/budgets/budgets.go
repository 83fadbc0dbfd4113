package budgets

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Budgets are the numbers in force on a node. The zero value allows nothing: start from Defaults.
type Budgets struct {
	Violations int64 // of one refusal that are listed
	Echo       int64 // characters of a refused value that are said again
	QueryKeys  int64 // of one request
	Refusal    int64 // bytes of an answer that refuses
	Nesting    int64 // levels of a JSON body
	Body       int64 // bytes of a body, unless its row says otherwise

	HeaderBytes     int64 // of one request
	HeaderFields    int64 // of one request
	HeaderTime      int64 // in which they have to arrive
	BodyProgress    int64 // bytes that a body has to bring in BodyTime, while wsd reads it
	BodyTime        int64
	AnswerTime      int64 // that an answer has to be taken
	IdleTime        int64 // of a connection between two requests
	ShutdownTime    int64 // that requests have to end
	Connections     int64
	AddressConns    int64 // of one address
	AddressUnread   int64 // of those, whose request has not arrived whole
	RefusalLogEvery int64 // between two lines of the log about refused connections

	Models      int64 // memory of the models of organizations
	Objects     int64 // memory of stored objects, as all that follows up to SearchTerms
	Trees       int64 // of pages
	LinkGraphs  int64
	Places      int64 // of comments in later texts
	PDFs        int64
	SpecPages   int64 // of specifications
	SearchTerms int64
	RateTallies int64 // users, and addresses, that are counted one by one
	StoreWait   int64 // that wsd init waits for Redis
	Canary      int64 // between two writes that find out whether writing is possible
	Examination int64 // between two looks at everything about the store
	DiskReserve int64 // bytes that stay free on the disk of a Redis that wsd runs itself

	RuleSteps    int64 // of one run of a custom merge rule
	RuleCells    int64 // of the lists that one run makes
	RuleReviews  int64 // of a change request, in the worst case that a rule is refused for
	TokenOverlap int64 // time that a replaced secret may work beside the new one
	Outbox       int64 // bytes of new content of an organization that wait for the replicas of a Redis Cluster
	ReplicaWait  int64 // that a change waits for them
	SlowBytes    int64 // of imports, PDFs and other large work at the same time
	SmallBytes   int64 // of work that is too small to wait behind those
	SmallWork    int64 // bytes up to which work is small
	Downloads    int64 // bytes of files and PDFs that are downloaded at the same time
	TurnWait     int64 // for a turn; a Period
	JobLease     int64 // time after which another node takes over a job
	SpecFetches  int64 // specifications that a node reads at the same time
	CallTime     int64 // that a request may take
	SlowTime     int64 // that an import may take
	TakeBack     int64 // time in which a transfer to another organization can be taken back

	OrganizationBytes   int64 // stored: compressed content, records, kept answers
	OrganizationRecords int64
	QuotaChange         int64 // bytes by which a state, role or place may grow beyond the quota
	UserTokens          int64 // that have not expired
	UserOrganizations   int64 // that the user made
	OrganizationPending int64 // specifications of an organization that wait to be read
	UserPending         int64 // that a user has asked for
	KeptAnswer          int64 // bytes up to which an answer is kept for a repeated request
}

// Defaults returns the numbers that hold when the operator says nothing.
func Defaults() *Budgets {
	b := &Budgets{}
	for _, row := range b.rows() {
		*row.value = row.Default
	}
	return b
}

// Unit is what a number counts.
type Unit int

// Units of the table.
const (
	Count  Unit = iota
	Bytes       // written as 512, 64KiB, 10MiB or 4GiB
	Period      // nanoseconds, written as 100ms, 10s or 24h
)

// Row is one line of the table: the name that an operator types, what it is, and its default in the unit.
type Row struct {
	Name    string
	Unit    Unit
	Default int64
	About   string

	value *int64
}

// Value is the number in force, written as an operator would type it.
func (r Row) Value() string { return r.Unit.format(*r.value) }

// Rows returns the table in the order in which the documentation prints it.
func (b *Budgets) Rows() []Row { return b.rows() }

// rows is the table. A new budget is a field of Budgets and a line here.
func (b *Budgets) rows() []Row {
	return []Row{
		{"violations", Count, 50, "violations that one refusal lists; then it says that there are more", &b.Violations},
		{"echo", Count, 100, "characters of a refused value that a refusal says again", &b.Echo},
		{"query-keys", Count, 200, "keys in the query of one request", &b.QueryKeys},
		{"refusal", Bytes, 64 << 10, "answer that refuses, with all that it lists", &b.Refusal},
		{"nesting", Count, 100, "levels that a JSON body nests", &b.Nesting},
		{"body", Bytes, 1 << 20, "JSON body, of an operation whose own limit is not smaller, or larger because it takes content", &b.Body},
		{"header-bytes", Bytes, 64 << 10, "size of a request's headers", &b.HeaderBytes},
		{"header-fields", Count, 100, "headers of one request", &b.HeaderFields},
		{"header-time", Period, int64(10 * time.Second), "time that the headers of a request have to arrive", &b.HeaderTime},
		{"body-progress", Bytes, 10 << 10, "bytes that a request's body has to bring in body-time, while wsd reads it", &b.BodyProgress},
		{"body-time", Period, int64(10 * time.Second), "time in which a request's body has to bring body-progress", &b.BodyTime},
		{"answer-time", Period, int64(2 * time.Minute), "time that an answer has to be taken; imports have more", &b.AnswerTime},
		{"idle-time", Period, int64(2 * time.Minute), "time that a connection is kept between two requests", &b.IdleTime},
		{"shutdown-time", Period, int64(25 * time.Second), "time that requests have to end when wsd stops", &b.ShutdownTime},
		{"connections", Count, 4_000, "connections at once", &b.Connections},
		{"address-connections", Count, 200, "connections at once of one address; of IPv6, of one network of 64 bits", &b.AddressConns},
		{"address-unread", Count, 100, "connections at once of one address whose request has not arrived whole; of a client behind a trusted proxy, requests", &b.AddressUnread},
		{"refusal-log-every", Period, int64(time.Minute), "time between two lines of the log that say that connections are refused", &b.RefusalLogEvery},
		{"store-wait", Period, int64(15 * time.Second), "time that wsd init waits for Redis; wsd serve waits without end", &b.StoreWait},
		{"canary-every", Period, int64(time.Second), "time between two writes by which wsd finds out whether it can write, for /readyz", &b.Canary},
		{"examine-every", Period, int64(10 * time.Second), "time between two looks at everything that wsd doctor looks at, for /readyz", &b.Examination},
		{"disk-reserve", Bytes, 64 << 20, "that stays free on the disk of a Redis that wsd runs itself; below it nothing is written, so that Redis lives", &b.DiskReserve},
		{"models", Bytes, 256 << 20, "memory for the models of organizations", &b.Models},
		{"cache-objects", Bytes, 64 << 20, "memory for texts, files and other objects that were read last", &b.Objects},
		{"cache-trees", Bytes, 128 << 20, "memory for the page trees of spaces that were used last", &b.Trees},
		{"cache-links", Bytes, 128 << 20, "memory for the links of spaces that were used last", &b.LinkGraphs},
		{"cache-places", Bytes, 16 << 20, "memory for the places of comments in texts that were changed since", &b.Places},
		{"cache-pdfs", Bytes, 64 << 20, "memory for PDFs that were made last", &b.PDFs},
		{"cache-specs", Bytes, 32 << 20, "memory for the pages of OpenAPI specifications that were shown last", &b.SpecPages},
		{"cache-search", Bytes, 64 << 20, "memory for the search indexes that were used last", &b.SearchTerms},
		{"rate-tallies", Count, 100_000, "users, and as many addresses, that the rate limit counts one by one", &b.RateTallies},
		{"rule-steps", Count, 20_000_000, "steps that a custom merge rule may take; a step is about one comparison", &b.RuleSteps},
		{"rule-cells", Count, 1_000_000, "items of the lists that a custom merge rule may make", &b.RuleCells},
		{"rule-reviews", Count, 100, "reviews of a change request that the worst case of a custom merge rule is computed with", &b.RuleReviews},
		{"token-overlap", Period, int64(24 * time.Hour), "how long the old secret of a token may work beside the new one", &b.TokenOverlap},
		{"outbox", Bytes, 64 << 20, "new content of an organization that may wait for the replicas of a Redis Cluster", &b.Outbox},
		{"replica-wait", Period, int64(2 * time.Second), "how long a change of more than 4 MiB waits for the replicas of a Redis Cluster", &b.ReplicaWait},
		{"slow-bytes", Bytes, 512 << 20, "bytes that large work (imports, PDFs, comparisons) may use at the same time; half of it for one organization", &b.SlowBytes},
		{"small-bytes", Bytes, 64 << 20, "bytes that small work may use at the same time: it does not wait behind large work", &b.SmallBytes},
		{"small-work", Bytes, 4 << 20, "bytes up to which work is small", &b.SmallWork},
		{"download-bytes", Bytes, 256 << 20, "files and PDFs that are downloaded at the same time; half of it for one address", &b.Downloads},
		{"turn-wait", Period, int64(10 * time.Second), "time that work, or a download, waits for its turn; then the answer is 503, reason busy", &b.TurnWait},
		{"job-lease", Period, int64(30 * time.Second), "time after which another node takes over a job, or a transfer, whose node says nothing", &b.JobLease},
		{"spec-fetches", Count, 8, "OpenAPI specifications that a node reads at the same time: one of an organization and one of a user, half for slow sources", &b.SpecFetches},
		{"call-time", Period, int64(30 * time.Second), "time that a request may take", &b.CallTime},
		{"slow-time", Period, int64(11 * time.Minute), "time that an import may take; one of a website fetches for ten minutes of it", &b.SlowTime},
		{"take-back", Period, int64(7 * 24 * time.Hour), "time in which a transfer to another organization can be taken back", &b.TakeBack},
		{"organization-bytes", Bytes, 10 << 30, "that an organization may store: compressed content, records and kept answers; wsd quota changes it for one", &b.OrganizationBytes},
		{"organization-records", Count, 2_000_000, "records that an organization may have; wsd quota changes it for one", &b.OrganizationRecords},
		{"quota-change", Bytes, 512, "by which a state, a role or a place may make a record larger when the quota is used up", &b.QuotaChange},
		{"user-tokens", Count, 100, "tokens of a user that have not expired; wsd quota changes it for one", &b.UserTokens},
		{"user-organizations", Count, 20, "organizations that a user may make; wsd quota changes it for one", &b.UserOrganizations},
		{"organization-pending", Count, 200, "specifications of an organization that may wait to be read", &b.OrganizationPending},
		{"user-pending", Count, 200, "specifications that may wait to be read because one user asked for it", &b.UserPending},
		{"kept-answer", Bytes, 8 << 10, "of an answer up to which it is kept for a repeated request; above, its status and id", &b.KeptAnswer},
	}
}

// Set changes numbers: name=value, separated by commas, as WSD_BUDGETS and --budget take them. An error names the
// part that is wrong, and nothing is changed then.
func (b *Budgets) Set(text string) error {
	changed := *b
	byName := map[string]Row{}
	for _, row := range changed.rows() {
		byName[row.Name] = row
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		row, known := byName[name]
		if !known {
			return fmt.Errorf("%q is not a budget; wsd budgets lists them", name)
		}
		n, err := row.Unit.parse(value)
		if err != nil {
			return fmt.Errorf("budget %s: %w", name, err)
		}
		*row.value = n
	}
	*b = changed
	return nil
}

// Parse reads a number as an operator types it.
func (u Unit) Parse(text string) (int64, error) { return u.parse(text) }

// Format is a number as an operator would type it.
func (u Unit) Format(n int64) string { return u.format(n) }

var sizes = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// parse reads a number of the unit; it is at least 1.
func (u Unit) parse(text string) (int64, error) {
	if u == Period {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("%q is not a time such as 10s or 24h", text)
		}
		return int64(d), nil
	}
	digits, factor := text, int64(1)
	for _, size := range sizes {
		if before, ok := strings.CutSuffix(text, size.suffix); ok && u == Bytes {
			digits, factor = before, size.bytes
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("%q is not %s", text, map[Unit]string{Count: "a number above 0", Bytes: "a size such as 512, 64KiB or 10MiB"}[u])
	}
	return n * factor, nil
}

func (u Unit) format(n int64) string {
	switch u {
	case Period:
		return time.Duration(n).String()
	case Bytes:
		for _, size := range sizes {
			if n >= size.bytes && n%size.bytes == 0 {
				return strconv.FormatInt(n/size.bytes, 10) + size.suffix
			}
		}
	case Count:
	}
	return strconv.FormatInt(n, 10)
}
