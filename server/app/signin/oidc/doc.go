// Package oidc signs people in at an OpenID Connect provider, as a client: the authorization code flow with PKCE, state and
// nonce (OpenID Connect Core 1.0, RFC 6749, 7636, 9207). It keeps no sign-ins and serves no HTTP. A caller stores the Start of a
// sign-in where only the browser that began it can bring it back, as in an encrypted cookie.
package oidc
