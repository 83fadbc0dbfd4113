// Package oauth is the client of the authorization server of wsd: it discovers the server (RFC 8414), signs people in by the browser
// (RFC 7636, RFC 8252, RFC 9207) or on another device (RFC 8628), and renews and revokes logins (RFC 6749, RFC 7009). It stores
// nothing, starts nothing by itself, and sends nothing to another origin than that of the server it was asked about.
package oauth
