package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
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

// config is everything that can be set. The environment gives the defaults of the flags.
type config struct {
	addr, publicURL, redisURL, data, secret, encryptionKey, fetchAllow, logLevel, appendfsync, engine string
	rateLimit, pdfFont, budgets, trustedProxies, drainTime                                            string
	allowEviction, allowLoss                                                                          bool

	waiting  func(cause error) // is told why the store is not open yet; nil: nobody waits for it
	patience time.Duration     // for the store; 0 = as long as it takes
	oldKey   string            // of encrypted secrets, while it is replaced
	existing bool              // the data has to be there
	examine  bool              // the store, whatever is wrong with it
	secrets  []redis.Secret    // are compared with those of the data
	clock    redis.Clock       // of store and server; nil: the present. The demo is made in the past
	atOnce   <-chan struct{}   // is closed when it shall end without waiting for anything; nil: never
}

// variables are the environment variables that wsd reads.
func (c *config) variables() map[string]*string {
	return map[string]*string{
		"WSD_ADDR": &c.addr, "WSD_PUBLIC_URL": &c.publicURL, "WSD_REDIS_URL": &c.redisURL, "WSD_DATA": &c.data,
		secretVariable: &c.secret, auth.EncryptionKeyVariable: &c.encryptionKey, "WSD_FETCH_ALLOW": &c.fetchAllow, "WSD_LOG_LEVEL": &c.logLevel,
		"WSD_APPENDFSYNC": &c.appendfsync, "WSD_STORE": &c.engine, "WSD_RATE_LIMIT": &c.rateLimit, "WSD_PDF_FONT": &c.pdfFont,
		"WSD_BUDGETS": &c.budgets, "WSD_TRUSTED_PROXIES": &c.trustedProxies, "WSD_DRAIN_TIME": &c.drainTime, oldKeyVariable: &c.oldKey,
	}
}

// retired are the variables that wsd once read, with what to do instead. An empty one does no harm.
var retired = map[string]string{
	"WSD_VISITOR_CLAIMS_KEY": "a ping signs with the key of the organization's own site for authenticated visitors; " +
		"unset the variable, and where that site has no key yet, make one: wsctl sites regenerate-auth",
}

// fromEnvironment reads the configuration. A variable that begins with WSD_ and is not known is refused: a misspelt
// one would silently be without effect.
func fromEnvironment(environ []string) (*config, error) {
	c := &config{addr: "127.0.0.1:8080", data: "wsd-data", logLevel: "info", appendfsync: "always", rateLimit: strconv.Itoa(auth.DefaultRateLimit)}
	known := c.variables()
	for _, entry := range environ {
		name, v, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "WSD_") || strings.HasPrefix(name, "WSD_TEST_") || strings.HasPrefix(name, "WSD_REQUIRE_") {
			continue
		}
		if slices.Contains(redis.FailpointVariables(), name) {
			continue
		}
		if instead, gone := retired[name]; gone {
			if v != "" {
				return nil, fmt.Errorf("%s is not read any more: %s", name, instead)
			}
			continue
		}
		target, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("%s is not a variable that wsd reads", name)
		}
		*target = v
	}
	return c, nil
}

func (c *config) storeFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&c.redisURL, "redis-url", c.redisURL, "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// (WSD_REDIS_URL)")
	if c.redisURL != "" { // it may hold a password, and help prints defaults
		f.Lookup("redis-url").DefValue = "$WSD_REDIS_URL"
	}
	f.StringVar(&c.data, "data", c.data, "directory of a Redis that wsd runs itself, and of the server secret (WSD_DATA)")
	f.StringVar(&c.engine, "store", c.engine, "memory keeps everything in this process only (WSD_STORE)")
	f.StringVar(&c.appendfsync, "appendfsync", c.appendfsync, "of a Redis that wsd runs itself: always or everysec (WSD_APPENDFSYNC)")
	f.BoolVar(&c.allowEviction, "allow-eviction", c.allowEviction, "run on a Redis that may delete data when memory is short")
	f.BoolVar(&c.allowLoss, "allow-loss", c.allowLoss, "run on a Redis that keeps nothing when it ends")
	f.StringVar(&c.budgets, "budgets", c.budgets, "limits to change, e.g. query-keys=300,echo=80; wsd budgets lists them (WSD_BUDGETS)")
	f.StringVar(&c.logLevel, "log-level", c.logLevel, "debug, info, warn or error (WSD_LOG_LEVEL)")
}

func (c *config) serveFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.addr, "addr", c.addr, "address to listen on (WSD_ADDR)")
	f.StringVar(&c.publicURL, "public-url", c.publicURL, "address that clients reach wsd by; default the one it listens on, if that is one (WSD_PUBLIC_URL)")
	f.StringVar(&c.rateLimit, "rate-limit", c.rateLimit, "requests that one user, or one address without a valid token, may make a minute; 0 = no limit (WSD_RATE_LIMIT)")
	f.StringVar(&c.trustedProxies, "trusted-proxies", c.trustedProxies, "networks of the proxies in front of wsd, e.g. 10.1.0.0/16: X-Forwarded-For of theirs says who a client is (WSD_TRUSTED_PROXIES)")
	f.StringVar(&c.drainTime, "drain-time", c.drainTime, "how long wsd goes on answering when it is asked to stop, with 503 in /readyz; default 5s, on a terminal 0s (WSD_DRAIN_TIME)")
	f.StringVar(&c.fetchAllow, "fetch-allow", c.fetchAllow, "networks that imports may reach beside public ones, e.g. 10.1.0.0/16,loopback (WSD_FETCH_ALLOW)")
}

// limits returns the budgets with what the operator changed.
func (c *config) limits() (*budgets.Budgets, error) {
	b := budgets.Defaults()
	if err := b.Set(c.budgets); err != nil {
		return nil, fmt.Errorf("--budgets: %w", err)
	}
	return b, nil
}

// logger writes JSON lines to stderr.
func (c *config) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return nil, fmt.Errorf("--log-level: %q is not debug, info, warn or error", c.logLevel)
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), nil
}

// open opens the store that the configuration names.
// Commands that do not serve may work beside a process that does.
func (c *config) open(ctx context.Context, attach bool, log *slog.Logger) (*store.Store, error) {
	if c.engine != "" && c.engine != "memory" {
		return nil, fmt.Errorf("--store: %q is not known; the only value is memory", c.engine)
	}
	limits, err := c.limits()
	if err != nil {
		return nil, err
	}
	if c.patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.patience)
		defer cancel()
	}
	s, err := store.Open(ctx, store.Config{
		OutboxBytes: int(limits.Outbox), ReplicaWait: time.Duration(limits.ReplicaWait), KeptAnswer: int(limits.KeptAnswer),
		Quota: txn.Quota{Bytes: limits.OrganizationBytes, Records: limits.OrganizationRecords, Change: limits.QuotaChange},
		URL:   c.redisURL, DataDir: c.data, Memory: c.engine == "memory", Attach: attach, Appendfsync: c.appendfsync,
		AllowEviction: c.allowEviction, Model: access.New, Logger: log, Clock: c.clock,
		CacheBytes: int(limits.Objects), ModelBytes: int(limits.Models), Waiting: c.waiting,
		AllowLoss: c.allowLoss, Existing: c.existing, Examine: c.examine, Secrets: c.secrets, Reserve: limits.DiskReserve,
	})
	if errors.Is(err, redis.ErrNoServer) {
		return nil, errors.New(`no Redis: set WSD_REDIS_URL to one, or install redis-server or valkey-server (7.0 or newer), which wsd then runs itself
  to look around without either: wsd demo`)
	}
	if errors.Is(err, redis.ErrNoData) {
		return nil, fmt.Errorf("%w\n  wsd init makes it; are WSD_DATA (--data) and WSD_REDIS_URL (--redis-url) right?", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	return s, nil
}

const secretFile = "secret"

// serverSecret is what signs addresses: given, or a file of the data directory that is made once. With a Redis of
// one's own it has to be given: several nodes must share it.
func (c *config) serverSecret() ([]byte, error) {
	if c.secret != "" {
		return []byte(c.secret), nil
	}
	if c.redisURL != "" {
		return nil, errors.New("WSD_SECRET is needed with WSD_REDIS_URL: at least 32 characters, the same on every node")
	}
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	dir, err := os.OpenRoot(c.data)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	secret, err := dir.ReadFile(secretFile)
	if errors.Is(err, fs.ErrNotExist) {
		secret = []byte(rand.Text() + rand.Text())
		err = dir.WriteFile(secretFile, secret, 0o600)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, fmt.Errorf("server secret: %w", err)
	}
	return secret, nil
}

// newEncryptionKey makes a key for a store that ends with the process.
func newEncryptionKey() string {
	key := sha256.Sum256([]byte(rand.Text() + rand.Text()))
	return hex.EncodeToString(key[:])
}

// server makes the server on an open store.
func (c *config) server(s *store.Store, secret []byte, publicURL string, log *slog.Logger) (*server.Server, error) {
	allow, err := fetch.ParseAllow(c.fetchAllow)
	if err != nil {
		return nil, fmt.Errorf("--fetch-allow: %w", err)
	}
	limit, err := strconv.Atoi(c.rateLimit)
	if err != nil || limit < 0 {
		return nil, fmt.Errorf("--rate-limit: %q is not a number of requests a minute", c.rateLimit)
	}
	limits, err := c.limits()
	if err != nil {
		return nil, err
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	fetcher := fetch.New(fetch.Options{Allow: allow, UserAgent: "wsd/" + version()})
	fonts, err := c.fonts()
	if err != nil {
		return nil, err
	}
	made, err := server.New(server.Options{
		Store: s, PublicURL: publicURL, Secret: secret, Key: key, Fetcher: fetcher, Fonts: fonts, Log: log, Version: version(), Build: build(), RateLimit: limit, Clock: c.clock,
		Importer: importer.New(fetcher, importer.Limits{}), Budgets: limits,
	})
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	return made, nil
}

// fonts are those of PDFs.
func (c *config) fonts() (pdf.Fonts, error) {
	if c.pdfFont == "" {
		return pdf.Fonts{}, nil
	}
	file, err := os.ReadFile(c.pdfFont)
	if err != nil {
		return pdf.Fonts{}, fmt.Errorf("WSD_PDF_FONT: %w", err)
	}
	fonts, err := pdf.NewFonts(file)
	if err != nil {
		return pdf.Fonts{}, fmt.Errorf("WSD_PDF_FONT %s: %w", c.pdfFont, err)
	}
	return fonts, nil
}
