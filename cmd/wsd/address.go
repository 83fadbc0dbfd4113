package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// checkAddresses returns an error if the listen address or the public URL is malformed, or if there is no public URL and the
// server cannot derive the URLs in its responses from the listen address. It runs before anything is opened.
func (c *config) checkAddresses(ctx context.Context) error {
	host, _, err := c.parseAddress(ctx)
	public := settingError("WSD_PUBLIC_URL", checkPublicURL(c.publicURL))
	if err == nil && isUnspecified(host) && c.publicURL == "" && c.engine != "memory" {
		public = settingError("WSD_PUBLIC_URL", fmt.Errorf(`it is needed, as wsd listens on every address (WSD_ADDR=%s):
  set it to the address that clients reach wsd by, such as https://docs.example.com or http://localhost:8080`, c.addr))
	}
	return errors.Join(err, public)
}

// checkPublicURL returns an error unless text is empty or an absolute http or https URL without a path. wsd serves at the
// root of its address only.
func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is not a URL") // the parse error would repeat a password
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return fmt.Errorf("%q is not an absolute http:// or https:// address", u.Redacted())
	case u.User != nil:
		return errors.New("it must not hold a user or a password: it stands in every answer")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return errors.New("it must not have a query or a fragment: paths are appended to it")
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("it must not have a path (%s): wsd serves at the root of an address, such as %s://%s", u.Path, u.Scheme, u.Host)
	case isUnspecified(u.Hostname()):
		return fmt.Errorf("%s is where a server listens, not an address that a client can reach", u.Host)
	}
	return nil
}

// isUnspecified reports whether a listen host stands for every address of the machine.
func isUnspecified(host string) bool {
	if host == "" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsUnspecified()
}

// localURL returns the URL under which this machine reaches the listener.
func localURL(listener net.Listener) string {
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err == nil && isUnspecified(host) {
		return "http://" + net.JoinHostPort("localhost", port)
	}
	return "http://" + listener.Addr().String()
}

// baseURL returns the URL that the addresses in responses begin with: the public URL if one is set, otherwise the
// local URL of the listener.
func (c *config) baseURL(listener net.Listener) string {
	if c.publicURL != "" {
		return c.publicURL
	}
	return localURL(listener)
}
