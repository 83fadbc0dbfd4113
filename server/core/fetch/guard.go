package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// errBlocked is returned for addresses and ports that are not allowed.
var errBlocked = errors.New("address or port is not public")

// guard decides whether a resolved address may be connected to.
type guard struct {
	allow  []netip.Prefix
	public *ssrf.Guardian
}

func newGuard(allow []netip.Prefix) guard {
	return guard{allow: allow, public: ssrf.New()}
}

// control has the signature of net.Dialer.Control. It checks the address that the socket is about to connect to,
// independently of the resolver.
func (g guard) control(network, address string, _ syscall.RawConn) error {
	return g.check(network, address)
}

// check accepts allowed networks on any port, and public addresses on ports 80 and 443.
func (g guard) check(network, address string) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errBlocked, address)
	}
	addr := target.Addr().Unmap().WithZone("")
	for _, prefix := range g.allow {
		if prefix.Contains(addr) {
			return nil
		}
	}
	if network == "tcp" {
		network = "tcp4"
	}
	if err := g.public.Safe(network, address, nil); err != nil {
		return fmt.Errorf("%w: %w", errBlocked, err)
	}
	return nil
}

// ParseAllow parses a comma-separated list. Its items are networks in CIDR notation, single addresses, and the word "loopback"
// for 127.0.0.0/8 and ::1/128. An empty list allows nothing.
func ParseAllow(list string) ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		switch item {
		case "":
		case "loopback":
			prefixes = append(prefixes, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
		default:
			prefix, err := parseNetwork(item)
			if err != nil {
				return nil, err
			}
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes, nil
}

// parseNetwork parses a network in CIDR notation, or a single address as a network of its own.
func parseNetwork(item string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(item); err == nil {
		addr = addr.Unmap().WithZone("")
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(item)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("network %q: want an address, a CIDR prefix or \"loopback\"", item)
	}
	return prefix.Masked(), nil
}
