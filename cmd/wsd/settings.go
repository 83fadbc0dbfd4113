package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/cors"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// flagNames maps the environment variables to the flags of the same settings. Secrets, and variables that are set once for
// an installation, have no flag.
var flagNames = map[string]string{
	"WSD_ADDR": "addr", "WSD_PUBLIC_URL": "public-url", "WSD_REDIS_URL": "redis-url", "WSD_REDIS_CA": "redis-ca",
	"WSD_REDIS_CERT": "redis-cert", "WSD_REDIS_KEY": "redis-key", "WSD_DATA": "data", "WSD_STORE": "store",
	"WSD_APPENDFSYNC": "appendfsync", "WSD_BUDGETS": "budgets", "WSD_LOG_LEVEL": "log-level", "WSD_RATE_LIMIT": "rate-limit",
	"WSD_TRUSTED_PROXIES": "trusted-proxies", "WSD_DRAIN_TIME": "drain-time", "WSD_FETCH_ALLOW": "fetch-allow", "WSD_SLOW": "slow",
	"WSD_UPGRADE_AFTER": "upgrade-after", "WSD_CREATE_ORGS": "create-orgs", "WSD_AUDIT_ADDRESSES": "audit-addresses",
	"WSD_EVENTS_KEPT": "events-kept", "WSD_TOKEN_MAX_AGE": "token-max-age", "WSD_SIGN_IN_MAX_AGE": "sign-in-max-age",
	"WSD_METRICS_ADDR": "metrics-addr", "WSD_CORS_ORIGINS": "cors-origins", "WSD_DOCS": "docs",
}

// errNoRedis is the error if no Redis is configured and none is installed.
var errNoRedis = errors.New(`no Redis: set WSD_REDIS_URL (--redis-url) to one, or install redis-server or valkey-server (7.0 or newer),
  which wsd then runs itself. To look around without either: wsd demo`)

// settingError returns the error of a setting, which names its flag and its variable, or nil if err is nil.
func settingError(variable string, err error) error {
	flag, ok := flagNames[variable]
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("%s: %w", variable, err)
	}
	return fmt.Errorf("--%s (%s): %w", flag, variable, err)
}

// checkServe returns an error that lists all invalid settings of a server. It accesses nothing but the configured files, and
// creates nothing. stderr is as for parseDrainTime.
func (c *config) checkServe(ctx context.Context, stderr io.Writer) error {
	_, drain := c.parseDrainTime(stderr)
	_, trusted := c.parseTrustedProxies()
	_, limit := c.parseRateLimit()
	_, slow := c.parseSlow()
	_, _, kept := c.parseEventsKept()
	_, maxAge := c.parseTokenMaxAge()
	_, signIn := c.parseSignInMaxAge()
	_, origins := c.parseCORSOrigins()
	_, allow := c.parseFetchAllow()
	_, fonts := c.loadFonts()
	return errors.Join(c.checkAddresses(ctx), c.checkStore(), c.checkSecret(), drain, trusted, limit, slow, allow, fonts, kept, maxAge,
		signIn, origins, c.checkWords(), c.checkMetrics(ctx))
}

// checkStore returns an error that lists all invalid settings of the store.
func (c *config) checkStore() error {
	_, limits := c.parseBudgets()
	_, level := c.newLogger(io.Discard)
	_, upgrade := c.parseUpgradeAfter()
	errs := []error{
		limits, level, checkKey(auth.EncryptionKeyVariable, c.encryptionKey), checkKey(auth.OldEncryptionKeyVariable, c.oldEncryptionKey),
		c.checkRedis(), upgrade,
	}
	if c.engine != "" && c.engine != "memory" {
		errs = append(errs, settingError("WSD_STORE", fmt.Errorf("%q is not known; the only value is memory", c.engine)))
	}
	if policies := []string{"always", "everysec"}; !slices.Contains(policies, c.appendfsync) {
		errs = append(errs, settingError("WSD_APPENDFSYNC", fmt.Errorf("%q is not always or everysec", c.appendfsync)))
	}
	if c.data == "" {
		errs = append(errs, settingError("WSD_DATA", errors.New("it is empty")))
	}
	return errors.Join(errs...)
}

// checkKey returns an error if the encryption key of a variable is invalid. The error does not contain it.
func checkKey(variable, text string) error {
	if text == "" {
		return nil
	}
	_, err := auth.ParseEncryptionKey(text)
	return settingError(variable, err)
}

// checkRedis returns an error if the address of an external Redis or its TLS files are invalid.
func (c *config) checkRedis() error {
	files := c.redisTLS()
	if c.redisURL == "" {
		if files != (redis.TLSFiles{}) {
			return settingError("WSD_REDIS_URL", errors.New("it is needed with the files for TLS, as a rediss:// address"))
		}
		return nil
	}
	options, err := redis.ParseURL(c.redisURL)
	if err != nil {
		return settingError("WSD_REDIS_URL", err)
	}
	if options.TLSConfig == nil && files != (redis.TLSFiles{}) {
		return settingError("WSD_REDIS_URL", errors.New("the files for TLS have no effect without rediss://"))
	}
	_, ca := files.ReadCA()
	_, pair := files.ReadKeyPair()
	return errors.Join(settingError("WSD_REDIS_CA", ca), settingError("WSD_REDIS_CERT", settingError("WSD_REDIS_KEY", pair)))
}

// redisTLS returns the configured files for TLS to an external Redis.
func (c *config) redisTLS() redis.TLSFiles {
	return redis.TLSFiles{CA: c.redisCA, Cert: c.redisCert, Key: c.redisKey}
}

// checkSecret returns an error if the server secret is missing or too short.
func (c *config) checkSecret() error {
	if n := len(c.oldSecret); n > 0 && n < auth.MinSecret {
		return errors.Join(c.checkOwnSecret(), settingError(auth.OldSecretVariable, fmt.Errorf("it has %d characters; a secret of the "+
			"server has at least %d", n, auth.MinSecret)))
	}
	return c.checkOwnSecret()
}

func (c *config) checkOwnSecret() error {
	if c.secret == "" && c.redisURL == "" {
		return nil // that of the data directory
	}
	if len(c.secret) < auth.MinSecret {
		return settingError(auth.SecretVariable, fmt.Errorf("it has %d characters; with WSD_REDIS_URL, or where it is set, it needs at "+
			"least %d, the same on every node", len(c.secret), auth.MinSecret))
	}
	return nil
}

// ensureSecret returns the server secret and creates it if there is none. It creates nothing if there is no Redis to serve on.
func (c *config) ensureSecret() ([]byte, error) {
	if c.redisURL == "" && c.engine == "" {
		if _, err := redis.FindServer(); err != nil {
			return nil, errNoRedis
		}
	}
	return c.secretSettings().EnsureSecret()
}

// checkWords returns an error if a setting with a fixed set of values has another one.
func (c *config) checkWords() error {
	check := func(variable, value, a, b string) error {
		if value == a || value == b {
			return nil
		}
		return settingError(variable, fmt.Errorf("%q is not %s or %s", value, a, b))
	}
	return errors.Join(
		check("WSD_CREATE_ORGS", c.createOrgs, createOrgsAnyone, createOrgsOperator),
		check("WSD_AUDIT_ADDRESSES", c.auditAddresses, switchOn, switchOff),
		check("WSD_DOCS", c.docs, switchOn, switchOff),
	)
}

// minDaysKept is the least number of days of eventsKept.
const minDaysKept = 1

// parseEventsKept returns how long events are kept and how many of an organization at most.
func (c *config) parseEventsKept() (kept time.Duration, most int, err error) {
	days, number, _ := strings.Cut(c.eventsKept, ",")
	n, err := strconv.Atoi(strings.TrimSuffix(days, "d"))
	most, err2 := strconv.Atoi(number)
	if errors.Join(err, err2) != nil || !strings.HasSuffix(days, "d") || n < minDaysKept || n > maxDaysKept || most < store.MinEventsKept {
		return 0, 0, settingError("WSD_EVENTS_KEPT", fmt.Errorf("%q is not a number of days and one of events such as 90d,1000000, "+
			"at least %dd,%d", c.eventsKept, minDaysKept, store.MinEventsKept))
	}
	return time.Duration(n) * 24 * time.Hour, most, nil
}

// maxDaysKept is the largest number of days of eventsKept, a hundred years.
const maxDaysKept = 36_500

// maxTokenDays is the largest number of days of tokenMaxAge, as for organizations.
const maxTokenDays = 3650

// parseTokenMaxAge returns the maximum age of tokens of people; 0 = none.
func (c *config) parseTokenMaxAge() (time.Duration, error) {
	if c.tokenMaxAge == "0" {
		return 0, nil
	}
	days, err := strconv.Atoi(strings.TrimSuffix(c.tokenMaxAge, "d"))
	if err != nil || !strings.HasSuffix(c.tokenMaxAge, "d") || days < 1 || days > maxTokenDays {
		return 0, settingError("WSD_TOKEN_MAX_AGE", fmt.Errorf("%q is not a number of days from 1d to %dd, and not 0, which is no maximum",
			c.tokenMaxAge, maxTokenDays))
	}
	return store.TokenMaxAge(days), nil
}

// Bounds of signInMaxAge.
const (
	minSignInMaxAge = 5 * time.Minute
	maxSignInMaxAge = 30 * 24 * time.Hour
)

// parseSignInMaxAge returns the time for which a sign-in by an identity provider lasts.
func (c *config) parseSignInMaxAge() (time.Duration, error) {
	d, err := time.ParseDuration(c.signInMaxAge)
	if err != nil || d < minSignInMaxAge || d > maxSignInMaxAge {
		return 0, settingError("WSD_SIGN_IN_MAX_AGE", fmt.Errorf("%q is not a duration from 5m to 720h, such as 12h", c.signInMaxAge))
	}
	return d, nil
}

// parseSlow returns the duration from which a request is slow; 0 = none is.
func (c *config) parseSlow() (time.Duration, error) {
	d, err := time.ParseDuration(c.slow)
	if err != nil || d < 0 {
		return 0, settingError("WSD_SLOW", fmt.Errorf("%q is not a time such as 1s or 500ms; 0s is none", c.slow))
	}
	return d, nil
}

func (c *config) parseRateLimit() (int, error) {
	limit, err := strconv.Atoi(c.rateLimit)
	if err != nil || limit < 0 {
		return 0, settingError("WSD_RATE_LIMIT", fmt.Errorf("%q is not a number of requests a minute", c.rateLimit))
	}
	return limit, nil
}

func (c *config) parseFetchAllow() ([]netip.Prefix, error) {
	allow, err := fetch.ParseAllow(c.fetchAllow)
	return allow, settingError("WSD_FETCH_ALLOW", err)
}

func (c *config) parseTrustedProxies() (listen.Networks, error) {
	trusted, err := listen.ParseNetworks(c.trustedProxies)
	return trusted, settingError("WSD_TRUSTED_PROXIES", err)
}

func (c *config) parseCORSOrigins() (cors.Origins, error) {
	origins, err := cors.Parse(c.corsOrigins)
	return origins, settingError("WSD_CORS_ORIGINS", err)
}

// parseAddress splits the listen address. The port may be the name of a service.
func (c *config) parseAddress(ctx context.Context) (host, port string, err error) {
	host, port, err = splitAddress(ctx, c.addr)
	if err != nil {
		return "", "", settingError("WSD_ADDR", fmt.Errorf("%q is not an address such as 127.0.0.1:8080", c.addr))
	}
	return host, port, nil
}

// splitAddress returns the host and the port of an address, and an error if the port is none.
func splitAddress(ctx context.Context, address string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(address)
	if err == nil {
		_, err = net.DefaultResolver.LookupPort(ctx, "tcp", port)
	}
	return host, port, err
}
