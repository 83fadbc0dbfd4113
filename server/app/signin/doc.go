// Package signin signs people in: the pages of an account at /account, for browsers, and OAuth 2.0 for clients such as wsctl
// (authorization code with PKCE, device code, renewal and revocation: RFC 6749, 7636, 8252, 8628, 7009). It serves HTML and forms only;
// what they change are operations and the internal endpoints of orgs.Logins.
package signin
