// Package cors lets pages of other origins use the API in browsers, by the CORS protocol of the Fetch standard. Answers are readable for
// the configured origins only, and never with credentials of the browser: a page has to send a token of its own.
package cors
