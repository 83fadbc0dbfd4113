// Package auth identifies callers and describes permissions. It parses credentials and checks their secrets, defines
// the Need of an operation, limits requests per principal, verifies tokens of site visitors, encrypts stored secrets,
// and signs addresses that are valid without a token.
//
// Package rest applies it to requests. Package auth does not depend on the state of a request.
package auth
