package listen

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Networks are the networks of trusted proxies.
type Networks []netip.Prefix

// ParseNetworks parses networks and addresses separated by commas, as in WSD_TRUSTED_PROXIES. The error quotes the
// invalid part.
func ParseNetworks(text string) (Networks, error) {
	var networks Networks
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		network, err := parseNetwork(part)
		if err != nil {
			return nil, err
		}
		networks = append(networks, network)
	}
	return networks, nil
}

func parseNetwork(part string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(part); err == nil && address.Zone() == "" {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(part)
	switch {
	case err != nil:
		return network, fmt.Errorf("%q is not a network such as 10.1.0.0/16, nor an address", part)
	case network.Bits() == 0:
		return network, fmt.Errorf("%q is every address: nobody would be limited", part)
	case network.Addr().Is4In6():
		return network, fmt.Errorf("%q is an IPv4 network written as IPv6: write it as IPv4", part)
	case network != network.Masked():
		return network, fmt.Errorf("%q is an address in the network %s: write one or the other", part, network.Masked())
	}
	return network, nil
}

// contains reports whether the address is in one of the networks.
func (n Networks) contains(address netip.Addr) bool {
	return slices.ContainsFunc(n, func(network netip.Prefix) bool { return network.Contains(address) })
}

// sourceBits is the length of the IPv6 prefix that providers usually assign to one customer.
const sourceBits = 64

// Source returns the key that an address is counted by: the address itself or, for IPv6, its /64 network, since its
// owner controls all addresses in it.
func Source(address netip.Addr) netip.Addr {
	address = address.Unmap().WithZone("")
	if address.Is4() {
		return address
	}
	network, err := address.Prefix(sourceBits)
	if err != nil {
		return address
	}
	return network.Addr()
}

// remoteAddress returns the remote address of a connection, or the zero address if there is none, such as for a pipe.
func remoteAddress(conn net.Conn) netip.Addr { return parseHost(conn.RemoteAddr().String()) }
