package redis

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// authority signs certificates for a test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func must[T any](t *testing.T) func(v T, err error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// newAuthority returns an authority whose certificate is in files.CA.
func newAuthority(t *testing.T, files TLSFiles) *authority {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	writePEM(t, files.CA, "CERTIFICATE", der)
	return &authority{must[*x509.Certificate](t)(x509.ParseCertificate(der)), key}
}

// sign returns a certificate for 127.0.0.1 and its key.
func (a *authority) sign(t *testing.T) (der []byte, key *ecdsa.PrivateKey) {
	t.Helper()
	key = must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	return must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)), key
}

// serverConfig returns the configuration of a server that requires certificates of the authority.
func (a *authority) serverConfig(t *testing.T) *tls.Config {
	t.Helper()
	der, key := a.sign(t)
	clients := x509.NewCertPool()
	clients.AddCert(a.certificate)
	return &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients,
	}
}

// writeClient writes a certificate of the authority and its key to files.
func (a *authority) writeClient(t *testing.T, files TLSFiles) {
	t.Helper()
	der, key := a.sign(t)
	writePEM(t, files.Cert, "CERTIFICATE", der)
	writePEM(t, files.Key, "PRIVATE KEY", must[[]byte](t)(x509.MarshalPKCS8PrivateKey(key)))
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newTLSFiles(t *testing.T) TLSFiles {
	t.Helper()
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	return TLSFiles{CA: at("ca.pem"), Cert: at("cert.pem"), Key: at("key.pem")}
}

// newTLSServers starts an emulated Redis and a Sentinel of it, both with TLS. The configuration may be replaced.
func newTLSServers(t *testing.T, config *atomic.Pointer[tls.Config]) (redis, sentinel string) {
	t.Helper()
	listening := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return config.Load(), nil },
	}
	emulated := miniredis.NewMiniRedis()
	if err := emulated.StartTLS(listening); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulated.Close)
	watcher := must[*server.Server](t)(server.NewServerTLS("127.0.0.1:0", listening))
	t.Cleanup(watcher.Close)
	answer := func(c *server.Peer, _ string, args []string) {
		if strings.EqualFold(args[0], "get-master-addr-by-name") {
			c.WriteStrings([]string{emulated.Host(), emulated.Port()})
			return
		}
		c.WriteLen(0)
	}
	if err := watcher.Register("SENTINEL", answer); err != nil {
		t.Fatal(err)
	}
	return emulated.Addr(), watcher.Addr().String()
}

// pingTLS connects to an address and pings it.
func pingTLS(t *testing.T, url string, files TLSFiles) error {
	t.Helper()
	c, err := New(Config{URL: url, TLS: files, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = c.Connect(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return c.Ping(ctx)
}

// TestTLSToRedis checks that connections to a single Redis, by way of Sentinels and to a Cluster use the configured
// certificates, and that a missing or wrong one is reported as such.
func TestTLSToRedis(t *testing.T) {
	t.Parallel()
	files, others := newTLSFiles(t), newTLSFiles(t)
	trusted, other := newAuthority(t, files), newAuthority(t, others)
	trusted.writeClient(t, files)
	other.writeClient(t, others)
	var config atomic.Pointer[tls.Config]
	config.Store(trusted.serverConfig(t))
	redis, sentinel := newTLSServers(t, &config)
	for mode, url := range map[string]string{
		"single": "rediss://" + redis, "sentinel": "rediss+sentinel://" + sentinel + "/main", "cluster": "rediss+cluster://" + redis,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if err := pingTLS(t, url, files); err != nil {
				t.Errorf("with the right files: %v", err)
			}
			for name, wrong := range map[string]TLSFiles{
				"no certificate": {CA: files.CA}, "another authority": {CA: others.CA, Cert: files.Cert, Key: files.Key},
				"a certificate of another authority": {CA: files.CA, Cert: others.Cert, Key: others.Key},
				"a missing file":                     {CA: files.CA + "x"},
			} {
				if err := pingTLS(t, url, wrong); !errors.Is(err, ErrUnavailable) {
					t.Errorf("%s: %v", name, err)
				} else if hint := connectionHint(err); mode != "sentinel" && !strings.Contains(hint, "WSD_REDIS_CA") {
					t.Errorf("%s: %v: hint %q", name, err, hint)
				}
			}
		})
	}
}

// TestTLSFilesAreReadForEachConnection checks that certificates can be replaced while wsd runs.
func TestTLSFilesAreReadForEachConnection(t *testing.T) {
	t.Parallel()
	files := newTLSFiles(t)
	var config atomic.Pointer[tls.Config]
	dial := files.dialer(20 * time.Second)
	var address string
	for round := range 2 {
		authority := newAuthority(t, files)
		config.Store(authority.serverConfig(t))
		if address == "" {
			address, _ = newTLSServers(t, &config)
		}
		if conn, err := dial(t.Context(), "tcp", address); err == nil && round > 0 { // TLS 1.3 reports it with the first read
			_, err = conn.Read(make([]byte, 1))
			if err == nil {
				t.Error("the old certificate is accepted by the new authority")
			}
		}
		authority.writeClient(t, files)
		conn, err := dial(t.Context(), "tcp", address)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := fmt.Fprint(conn, "*1\r\n$4\r\nPING\r\n"); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, len("+PONG\r\n"))
		if n, err := conn.Read(answer); string(answer[:n]) != "+PONG\r\n" {
			t.Errorf("round %d: %q %v", round, answer[:n], err)
		}
		_ = conn.Close()
	}
}

// TestConnectionHints checks the advice for frequent mistakes in the address of Redis.
func TestConnectionHints(t *testing.T) {
	t.Parallel()
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, test := range []struct {
		err  error
		want string
	}{
		{dial(fmt.Errorf("%w: %w", errTLS, context.DeadlineExceeded)), "WSD_REDIS_CA"},
		{errors.New("remote error: tls: certificate required"), "WSD_REDIS_CA"},
		{errors.New("ERR This instance has cluster support disabled"), "use redis:// instead"},
		{io.EOF, "rediss://"},
		{&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, "rediss://"},
		{errors.New("redis: all sentinels specified in configuration are unreachable"), "those of Sentinels"},
		{dial(syscall.ECONNREFUSED), "is Redis running"},
	} {
		if got := errorCheck("connection", test.err, connectionHint(test.err)); !strings.Contains(got.Hint, test.want) {
			t.Errorf("%v: hint %q, want %q", test.err, got.Hint, test.want)
		}
	}
}
