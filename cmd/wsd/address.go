package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// checkAddresses refuses, before anything is opened, addresses that cannot be listened on or that answers could not
// name: what stands in an answer has to open.
func (c *config) checkAddresses() error {
	host, _, err := net.SplitHostPort(c.addr)
	if err != nil {
		return fmt.Errorf("--addr (WSD_ADDR): %q is not an address such as 127.0.0.1:8080", c.addr)
	}
	if err := checkPublicURL(c.publicURL); err != nil {
		return fmt.Errorf("--public-url (WSD_PUBLIC_URL): %w", err)
	}
	if everywhere(host) && c.publicURL == "" && c.engine != "memory" {
		return fmt.Errorf(`wsd listens on every address (WSD_ADDR=%s), so answers cannot name one: set WSD_PUBLIC_URL to the address that
  clients reach it by, such as https://docs.example.com or http://localhost:8080`, c.addr)
	}
	return nil
}

// checkPublicURL refuses what answers cannot be built on: they append paths to it.
func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is not a URL") // the cause would say a password again
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return fmt.Errorf("%q is not an absolute http:// or https:// address", u.Redacted())
	case u.User != nil:
		return errors.New("it must not hold a user or a password: it stands in every answer")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return errors.New("it must not have a query or a fragment: paths are appended to it")
	case everywhere(u.Hostname()):
		return fmt.Errorf("%s is where a server listens, not an address that a client can reach", u.Host)
	}
	return nil
}

// everywhere reports whether a host to listen on means every address of the machine.
func everywhere(host string) bool {
	if host == "" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsUnspecified()
}

// reachable is the address by which this machine reaches what listens.
func reachable(listener net.Listener) string {
	host, port, err := net.SplitHostPort(listener.Addr().String())
	if err == nil && everywhere(host) {
		return "http://" + net.JoinHostPort("localhost", port)
	}
	return "http://" + listener.Addr().String()
}

// publicURLOn is what addresses in answers begin with.
func (c *config) publicURLOn(listener net.Listener) string {
	if c.publicURL != "" {
		return c.publicURL
	}
	return reachable(listener)
}
