package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// config holds the settings of all commands. Environment variables provide the defaults of the flags.
type config struct {
	addr, publicURL, redisURL, data, secret, encryptionKey, fetchAllow, logLevel, appendfsync, engine            string
	rateLimit, pdfFont, budgets, trustedProxies, drainTime, upgradeAfter, createOrgs, auditAddresses, eventsKept string
	tokenMaxAge, signInMaxAge, metricsAddr, metricsToken, corsOrigins, docs                                      string
	redisCA, redisCert, redisKey, slow                                                                           string
	allowEviction, allowLoss                                                                                     bool

	onWait           func(cause error) // called with the reason while the store cannot be opened; may be nil
	maxWait          time.Duration     // for the store to open; 0 means no limit
	oldEncryptionKey string            // previous encryption key while it is being replaced
	oldSecret        string            // previous server secret while it is being replaced
	nodeLabel        string            // name of this process for operators
	command          *txn.Command      // of the operator, for events; nil for serve and demo
	requireExisting  bool              // fail if there is no data
	examine          bool              // open the store even if its checks fail
	secrets          []redis.Secret    // compared with the fingerprints of the data
	// clock of store and server, with which the demo creates data in the past; nil means the system clock
	clock     redis.Clock
	forceStop <-chan struct{} // closed to end the process without any wait; may be nil
}

// Values of createOrgs.
const (
	createOrgsAnyone   = "anyone"
	createOrgsOperator = "operator"
)

// Values of auditAddresses and docs.
const (
	switchOn  = "on"
	switchOff = "off"
)

// variables maps the names of the environment variables to the settings that they set.
func (c *config) variables() map[string]*string {
	return map[string]*string{
		"WSD_ADDR": &c.addr, "WSD_PUBLIC_URL": &c.publicURL, "WSD_REDIS_URL": &c.redisURL, "WSD_DATA": &c.data,
		auth.SecretVariable: &c.secret, auth.EncryptionKeyVariable: &c.encryptionKey, "WSD_FETCH_ALLOW": &c.fetchAllow,
		"WSD_LOG_LEVEL":   &c.logLevel,
		"WSD_APPENDFSYNC": &c.appendfsync, "WSD_STORE": &c.engine, "WSD_RATE_LIMIT": &c.rateLimit, "WSD_PDF_FONT": &c.pdfFont,
		"WSD_REDIS_CA": &c.redisCA, "WSD_REDIS_CERT": &c.redisCert, "WSD_REDIS_KEY": &c.redisKey, "WSD_SLOW": &c.slow,
		"WSD_BUDGETS": &c.budgets, "WSD_TRUSTED_PROXIES": &c.trustedProxies, "WSD_DRAIN_TIME": &c.drainTime,
		"WSD_UPGRADE_AFTER":           &c.upgradeAfter,
		"WSD_CREATE_ORGS":             &c.createOrgs,
		"WSD_AUDIT_ADDRESSES":         &c.auditAddresses,
		"WSD_EVENTS_KEPT":             &c.eventsKept,
		"WSD_TOKEN_MAX_AGE":           &c.tokenMaxAge,
		"WSD_SIGN_IN_MAX_AGE":         &c.signInMaxAge,
		"WSD_METRICS_ADDR":            &c.metricsAddr,
		"WSD_METRICS_TOKEN":           &c.metricsToken,
		"WSD_CORS_ORIGINS":            &c.corsOrigins,
		"WSD_DOCS":                    &c.docs,
		auth.OldEncryptionKeyVariable: &c.oldEncryptionKey,
		auth.OldSecretVariable:        &c.oldSecret,
	}
}

// retiredVariables maps environment variables of earlier versions to advice for the operator. Empty ones are
// accepted.
var retiredVariables = map[string]string{
	"WSD_VISITOR_CLAIMS_KEY": "a ping signs with the key of the organization's own site for authenticated visitors; " +
		"unset the variable, and where that site has no key yet, make one: wsctl sites regenerate-auth SITE",
}

// configFromEnviron reads the configuration from environ. It rejects unknown variables that begin with WSD_, because
// a misspelled one would silently have no effect.
func configFromEnviron(environ []string) (*config, error) {
	c := &config{
		addr: "127.0.0.1:8080", data: "wsd-data", logLevel: "info", appendfsync: "always", rateLimit: strconv.Itoa(auth.DefaultRateLimit),
		createOrgs: createOrgsAnyone, auditAddresses: switchOn, eventsKept: "90d,1000000", slow: "1s",
		tokenMaxAge: "0", signInMaxAge: "12h", docs: switchOn,
	}
	known := c.variables()
	for _, entry := range environ {
		name, v, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "WSD_") || strings.HasPrefix(name, "WSD_TEST_") || strings.HasPrefix(name, "WSD_REQUIRE_") {
			continue
		}
		if slices.Contains(redis.FailpointVariables(), name) {
			continue
		}
		if advice, retired := retiredVariables[name]; retired {
			if v != "" {
				return nil, fmt.Errorf("%s is not read any more: %s", name, advice)
			}
			continue
		}
		target, ok := known[name]
		if !ok {
			message := name + " is not a variable that wsd reads"
			if near := suggestion(name, slices.Collect(maps.Keys(known))); near != "" {
				message += "; " + near
			}
			return nil, errors.New(message)
		}
		*target = v
	}
	return c, nil
}

func (c *config) addStoreFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&c.redisURL, "redis-url", c.redisURL, "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// (WSD_REDIS_URL)")
	if c.redisURL != "" { // it may contain a password, and help prints defaults
		f.Lookup("redis-url").DefValue = "$WSD_REDIS_URL"
	}
	f.StringVar(&c.redisCA, "redis-ca", c.redisCA,
		"file with the certificates in PEM that the one of Redis is checked with, in place of the system's (WSD_REDIS_CA)")
	f.StringVar(&c.redisCert, "redis-cert", c.redisCert, "file with the certificate in PEM that wsd shows to Redis (WSD_REDIS_CERT)")
	f.StringVar(&c.redisKey, "redis-key", c.redisKey, "file with the key of that certificate in PEM (WSD_REDIS_KEY)")
	f.StringVar(&c.data, "data", c.data, "directory of a Redis that wsd runs itself, and of the server secret (WSD_DATA)")
	f.StringVar(&c.engine, "store", c.engine, "memory keeps everything in this process only (WSD_STORE)")
	f.StringVar(&c.appendfsync, "appendfsync", c.appendfsync, "of a Redis that wsd runs itself: always or everysec (WSD_APPENDFSYNC)")
	f.BoolVar(&c.allowEviction, "allow-eviction", c.allowEviction, "run on a Redis that may delete data when memory is short")
	f.BoolVar(&c.allowLoss, "allow-loss", c.allowLoss, "run on a Redis that keeps nothing when it ends")
	f.StringVar(&c.budgets, "budgets", c.budgets, "limits to change, e.g. query-keys=300,echo=80; wsd budgets lists them (WSD_BUDGETS)")
	f.StringVar(&c.logLevel, "log-level", c.logLevel, "debug, info, warn or error (WSD_LOG_LEVEL)")
}

func (c *config) addServeFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.addr, "addr", c.addr, "address to listen on (WSD_ADDR)")
	f.StringVar(&c.publicURL, "public-url", c.publicURL,
		"address that clients reach wsd by; default the one it listens on, if that is one (WSD_PUBLIC_URL)")
	f.StringVar(&c.rateLimit, "rate-limit", c.rateLimit,
		"requests that one user, or one address without a valid token, may make a minute; 0 = no limit (WSD_RATE_LIMIT)")
	f.StringVar(&c.trustedProxies, "trusted-proxies", c.trustedProxies,
		"networks of the proxies in front of wsd, e.g. 10.1.0.0/16: X-Forwarded-For of theirs says who a client is (WSD_TRUSTED_PROXIES)")
	f.StringVar(&c.drainTime, "drain-time", c.drainTime,
		"how long wsd goes on answering when it is asked to stop, with 503 in /readyz; default 5s, on a terminal 0s (WSD_DRAIN_TIME)")
	f.StringVar(&c.upgradeAfter, "upgrade-after", c.upgradeAfter,
		"how long all nodes must have known a newer form of the data before the data gets it; default 24h, 0 = at once (WSD_UPGRADE_AFTER)")
	f.StringVar(&c.createOrgs, "create-orgs", c.createOrgs,
		"who may create organizations: anyone with an account, or operator, by wsd org create (WSD_CREATE_ORGS)")
	f.StringVar(&c.auditAddresses, "audit-addresses", c.auditAddresses,
		"whether the audit log has the addresses and user agents of clients: on or off (WSD_AUDIT_ADDRESSES)")
	f.StringVar(&c.eventsKept, "events-kept", c.eventsKept,
		"how long events are kept, and how many of an organization at most (WSD_EVENTS_KEPT)")
	f.StringVar(&c.tokenMaxAge, "token-max-age", c.tokenMaxAge,
		"age at which tokens of people end, e.g. 90d; 0 = no maximum (WSD_TOKEN_MAX_AGE)")
	f.StringVar(&c.signInMaxAge, "sign-in-max-age", c.signInMaxAge,
		"how long a sign-in by an identity provider lasts until the provider confirms it again (WSD_SIGN_IN_MAX_AGE)")
	f.StringVar(&c.metricsAddr, "metrics-addr", c.metricsAddr,
		"address of a listener for /metrics only, which needs no token, e.g. 127.0.0.1:9090; default none (WSD_METRICS_ADDR)")
	f.StringVar(&c.corsOrigins, "cors-origins", c.corsOrigins,
		"origins whose pages may use the API in browsers, e.g. https://app.example.com,http://localhost:3000 (WSD_CORS_ORIGINS)")
	f.StringVar(&c.docs, "docs", c.docs, "whether /docs is a reference page of the operations: on or off (WSD_DOCS)")
	f.StringVar(&c.slow, "slow", c.slow,
		"how long a request may take until its line in the log is a warning; 0s = none is (WSD_SLOW)")
	f.StringVar(&c.fetchAllow, "fetch-allow", c.fetchAllow,
		"networks that imports may reach beside public ones, e.g. 10.1.0.0/16,loopback (WSD_FETCH_ALLOW)")
}

// parseBudgets returns the default budgets with the changes of --budgets.
func (c *config) parseBudgets() (*budgets.Budgets, error) {
	b := budgets.Defaults()
	if err := b.Set(c.budgets); err != nil {
		return nil, settingError("WSD_BUDGETS", err)
	}
	if err := b.Check(); err != nil {
		return nil, settingError("WSD_BUDGETS", err)
	}
	return b, nil
}

// newLogger returns a logger that writes JSON lines of the configured level to w.
func (c *config) newLogger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return nil, settingError("WSD_LOG_LEVEL", fmt.Errorf("%q is not debug, info, warn or error", c.logLevel))
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
}

// openStore opens the configured store. With attach, which all commands but serve set, it may use the Redis of a
// running wsd.
func (c *config) openStore(ctx context.Context, attach bool, log *slog.Logger) (*store.Store, error) {
	if err := c.checkStore(); err != nil {
		return nil, err
	}
	limits, err := c.parseBudgets()
	if err != nil {
		return nil, err
	}
	upgradeAfter, err := c.parseUpgradeAfter()
	if err != nil {
		return nil, err
	}
	if c.maxWait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.maxWait)
		defer cancel()
	}
	_, maxEvents, err := c.parseEventsKept()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, store.Config{
		MaxEvents: maxEvents, OutboxBytes: int(limits.OutboxBytes), ReplicaWait: time.Duration(limits.ReplicaWait),
		MaxSavedBodyBytes: int(limits.ReplayedAnswerBytes),
		Quota: txn.Quota{
			Bytes: limits.OrganizationBytes, Records: limits.OrganizationRecords, Allowance: limits.QuotaChangeBytes,
		},
		URL: c.redisURL, TLS: c.redisTLS(), DataDir: c.data, Memory: c.engine == "memory", Attach: attach, Appendfsync: c.appendfsync,
		AllowEviction: c.allowEviction, Model: access.NewModel, Logger: log, Clock: c.clock,
		CacheBytes: int(limits.ObjectBytes), ModelBytes: int(limits.ModelBytes), Waiting: c.onWait,
		AllowLoss: c.allowLoss, Existing: c.requireExisting, Examine: c.examine, Secrets: c.secrets, Reserve: limits.DiskReserve,
		UpgradeAfter: upgradeAfter,
		NodeLabel:    c.nodeLabel, Command: c.command,
	})
	if errors.Is(err, redis.ErrNoServer) {
		return nil, errNoRedis
	}
	if errors.Is(err, redis.ErrNoData) {
		return nil, fmt.Errorf("%w\n  wsd init makes it; are WSD_DATA (--data) and WSD_REDIS_URL (--redis-url) right?", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return s, nil
}

// secretSettings returns the settings that determine the secrets.
func (c *config) secretSettings() auth.SecretSettings {
	return auth.SecretSettings{
		Secret: c.secret, OldSecret: c.oldSecret, EncryptionKey: c.encryptionKey, OldEncryptionKey: c.oldEncryptionKey, Directory: c.data,
		External: c.redisURL != "",
	}
}

// newEncryptionKey returns a random key for a store that ends with the process.
func newEncryptionKey() string {
	key := sha256.Sum256([]byte(rand.Text() + rand.Text()))
	return hex.EncodeToString(key[:])
}

// newServer returns a server on an open store.
func (c *config) newServer(s *store.Store, publicURL string, log *slog.Logger) (*server.Server, error) {
	allow, err := c.parseFetchAllow()
	if err != nil {
		return nil, err
	}
	limit, err := c.parseRateLimit()
	if err != nil {
		return nil, err
	}
	slow, err := c.parseSlow()
	if err != nil {
		return nil, err
	}
	if err := c.checkWords(); err != nil {
		return nil, err
	}
	limits, err := c.parseBudgets()
	if err != nil {
		return nil, err
	}
	fetcher := fetch.New(fetch.Options{Allow: allow, UserAgent: "wsd/" + version()})
	fonts, err := c.loadFonts()
	if err != nil {
		return nil, err
	}
	specs, err := newSpecReader(limits)
	if err != nil {
		return nil, err
	}
	kept, _, err := c.parseEventsKept()
	if err != nil {
		return nil, err
	}
	maxAge, err := c.parseTokenMaxAge()
	if err != nil {
		return nil, err
	}
	signInMaxAge, err := c.parseSignInMaxAge()
	if err != nil {
		return nil, err
	}
	origins, err := c.parseCORSOrigins()
	if err != nil {
		return nil, err
	}
	secret, key := findSecret(c.secrets, auth.SecretVariable), findSecret(c.secrets, auth.EncryptionKeyVariable)
	srv, err := server.New(server.Options{
		Store: s, PublicURL: publicURL, Secret: secret.Value, OldSecret: secret.Old, Key: key.Value, OldKey: key.Old,
		Fetcher: fetcher, Providers: fetcher.Transport(), Fonts: fonts, Log: log, Version: version(),
		Build: buildRevision(), RateLimit: limit, Slow: slow, Clock: c.clock,
		Importer: importer.New(fetcher, importer.Limits{}), Budgets: limits, Specs: specs,
		OperatorCreatesOrganizations: c.createOrgs == createOrgsOperator, OmitAddresses: c.auditAddresses == switchOff,
		EventsKept: kept, TokenMaxAge: maxAge, SignInMaxAge: signInMaxAge, Metrics: c.hasMetrics(), MetricsToken: c.metricsToken,
		Origins: origins, OmitReference: c.docs == switchOff,
	})
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return srv, nil
}

// findSecret returns the secret of a variable, or one without a value.
func findSecret(secrets []redis.Secret, name string) redis.Secret {
	i := slices.IndexFunc(secrets, func(s redis.Secret) bool { return s.Name == name })
	if i < 0 {
		return redis.Secret{Name: name}
	}
	return secrets[i]
}

// loadFonts returns the fonts of PDFs, with the configured font file as a fallback if there is one.
func (c *config) loadFonts() (pdf.Fonts, error) {
	if c.pdfFont == "" {
		return pdf.Fonts{}, nil
	}
	file, err := os.ReadFile(c.pdfFont)
	if err != nil {
		return pdf.Fonts{}, settingError("WSD_PDF_FONT", err)
	}
	fonts, err := pdf.NewFonts(file)
	if err != nil {
		return pdf.Fonts{}, settingError("WSD_PDF_FONT", fmt.Errorf("%s: %w", c.pdfFont, err))
	}
	return fonts, nil
}
