// Package listen serves HTTP with limits on the cost of connections: the number of connections, in total and per address, the
// number, size and time of headers, and the rate at which a body arrives. It also determines the client of a request that came
// through trusted proxies.
package listen
