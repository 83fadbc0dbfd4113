package listen

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Networks are those of the proxies that the operator trusts.
type Networks []netip.Prefix

// ParseNetworks reads a list as WSD_TRUSTED_PROXIES has it: networks and single addresses, separated by commas. An
// error names the part that is wrong.
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

// contain reports whether an address is in one of the networks.
func (n Networks) contain(address netip.Addr) bool {
	return slices.ContainsFunc(n, func(network netip.Prefix) bool { return network.Contains(address) })
}

// sourceBits is the part of an IPv6 address that one customer of a provider has to himself.
const sourceBits = 64

// Source is what an address counts as: itself, or of IPv6 the network of 64 bits that it is in. Whoever has one address
// of that has them all.
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

// addressOf is the address of the other end of a connection; the zero one where it has none, such as on a pipe.
func addressOf(conn net.Conn) netip.Addr { return parseHost(conn.RemoteAddr().String()) }
