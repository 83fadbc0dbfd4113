package listen

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwardedFor is the only header with a client address, and only accepted from a trusted proxy.
const forwardedFor = "X-Forwarded-For"

type clientKey struct{}

// Client returns the address of the client: that of the connection or, if it belongs to a trusted proxy, the one that
// the proxy reports. All limits and logs use it. It is the zero address if there is none, such as for a pipe.
func Client(r *http.Request) netip.Addr {
	if client, ok := r.Context().Value(clientKey{}).(netip.Addr); ok {
		return client
	}
	return parseHost(r.RemoteAddr)
}

// withClient returns a copy of r with a client address for Client.
func withClient(r *http.Request, client netip.Addr) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), clientKey{}, client))
}

// clientOf returns the client of a request from peer. Each proxy appends the address of its own peer to the header, so
// the header is read from its end: the first address that is not a trusted proxy is the client, since those before it
// may be forged. If there is none, or it is malformed, the client is the last proxy.
func (n Networks) clientOf(peer netip.Addr, header http.Header) netip.Addr {
	if !n.contains(peer) {
		return peer
	}
	hops := strings.Split(strings.Join(header.Values(forwardedFor), ","), ",")
	for _, hop := range slices.Backward(hops) {
		address := parseHost(strings.TrimSpace(hop))
		if !address.IsValid() {
			return peer
		}
		if peer = address; !n.contains(peer) {
			return peer
		}
	}
	return peer
}

// parseHost parses an address with or without a port. It returns the zero address if it is malformed.
func parseHost(text string) netip.Addr {
	address, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		at, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}
		}
		address = at.Addr()
	}
	return address.Unmap().WithZone("")
}
