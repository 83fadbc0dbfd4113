package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// TLSFiles are the PEM files for TLS connections to Redis. They are read for each new connection, so certificates can
// be replaced while wsd runs.
type TLSFiles struct {
	CA   string // certificates of the authorities that may sign the one of Redis; "" = those of the system
	Cert string // certificate of the client, with its chain; "" = none
	Key  string // key of Cert
}

// errTLS is returned if a TLS connection cannot be established. Every errTLS is an ErrUnavailable.
var errTLS = errors.New("TLS")

const dialKeepAlive = 5 * time.Minute

// ReadCA returns the certificates of CA, or nil if there are none.
func (f TLSFiles) ReadCA() (*x509.CertPool, error) {
	if f.CA == "" {
		return nil, nil //nolint:nilnil // nil means the certificates of the system, as in tls.Config
	}
	data, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s has no certificate in PEM", f.CA)
	}
	return pool, nil
}

// ReadKeyPair returns the certificate of the client, or none.
func (f TLSFiles) ReadKeyPair() ([]tls.Certificate, error) {
	if f.Cert == "" && f.Key == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("certificate %q with key %q: %w", f.Cert, f.Key, err)
	}
	return []tls.Certificate{pair}, nil
}

// config returns the configuration of one connection to a host.
func (f TLSFiles) config(host string) (*tls.Config, error) {
	ca, err := f.ReadCA()
	if err != nil {
		return nil, err
	}
	pair, err := f.ReadKeyPair()
	return &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host, RootCAs: ca, Certificates: pair}, err
}

// dialer returns the function that opens TLS connections to Redis within a time.
func (f TLSFiles) dialer(timeout time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		plain, err := (&net.Dialer{KeepAlive: dialKeepAlive}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err //nolint:wrapcheck // a *net.OpError
		}
		host, _, _ := net.SplitHostPort(address) // the address has been dialed
		conn, err := f.handshake(ctx, plain, host)
		if err != nil {
			err = fmt.Errorf("%w: %w", errTLS, errors.Join(err, plain.Close()))
			return nil, &net.OpError{Op: "dial", Net: network, Addr: plain.RemoteAddr(), Err: err}
		}
		return conn, nil
	}
}

func (f TLSFiles) handshake(ctx context.Context, plain net.Conn, host string) (net.Conn, error) {
	config, err := f.config(host)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(plain, config)
	return conn, conn.HandshakeContext(ctx) //nolint:wrapcheck // the caller wraps it
}
