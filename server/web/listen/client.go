package listen

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// forwardedFor is the one header that is believed, and only of a trusted proxy.
const forwardedFor = "X-Forwarded-For"

type clientKey struct{}

// Client is the address that a request comes from: that of its connection, or, where it came by a trusted proxy, the one
// that the proxy names. Whoever counts, bounds or logs strangers asks for it. It is the zero address where there is none,
// such as on a pipe.
func Client(r *http.Request) netip.Addr {
	if client, ok := r.Context().Value(clientKey{}).(netip.Addr); ok {
		return client
	}
	return parseHost(r.RemoteAddr)
}

// withClient is a request that knows who it comes from.
func withClient(r *http.Request, client netip.Addr) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), clientKey{}, client))
}

// client finds who a request comes from. Each proxy adds the address that it was called by at the end of the header, so it
// is read from there, as far as those who wrote it are trusted: the first address that is no trusted proxy is the client,
// and what stands before it anybody may have written. Where no such address is found, or what stands there is none, it is
// the last proxy that was.
func (n Networks) client(peer netip.Addr, header http.Header) netip.Addr {
	if !n.contain(peer) {
		return peer
	}
	hops := strings.Split(strings.Join(header.Values(forwardedFor), ","), ",")
	for _, hop := range slices.Backward(hops) {
		address := parseHost(strings.TrimSpace(hop))
		if !address.IsValid() {
			return peer
		}
		if peer = address; !n.contain(peer) {
			return peer
		}
	}
	return peer
}

// parseHost reads an address, with or without a port; it is the zero one where the text is something else.
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
