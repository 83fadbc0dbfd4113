// Package orgs serves organizations, their members, teams, tokens and invites, the e-mail domains that they prove,
// and the settings of their SAML providers.
package orgs
