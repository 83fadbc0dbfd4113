package server

import (
	"bytes"
	"html/template"
	"net/http"

	"docspace.dev/wsd/server/web/apidoc"
	"docspace.dev/wsd/server/web/rest"
)

// frontPage is the page at the root of the server, for people who open it in a browser.
var frontPage = template.Must(template.New("front").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>wsd</title>
<h1>wsd</h1>
<p>This is a documentation workspace server{{with .Version}}, version {{.}}{{end}}. People read, write and review in a terminal;
programs talk to its interface. <a href="/account">Your account</a> has your sessions and tokens, and accepts invites.</p>
<h2>You have an invite</h2>
<p>Enter it at <a href="/account">your account</a>, or in a terminal:</p>
<pre>wsctl join --url {{.URL}}</pre>
<h2>You have an account</h2>
<pre>wsctl login --url {{.URL}}
wsctl tui</pre>
<p>wsctl comes with wsd: <code>go install docspace.dev/wsd/cmd/wsctl@latest</code>.</p>
<h2>You write a program</h2>
<ul>
<li><a href="/v1/openapi.json">/v1/openapi.json</a>: every operation, as an OpenAPI 3.1 document,
also as <a href="/v1/openapi.yaml">YAML</a>{{if .Reference}} and as a <a href="/docs">reference page</a>{{end}}</li>
<li><code>curl -H 'Authorization: Bearer wsd_...' {{.URL}}/v1/user</code>: who a token belongs to</li>
</ul>
<h2>You look after it</h2>
<ul>
<li><a href="/healthz">/healthz</a>: the process lives</li>
<li><a href="/readyz">/readyz</a>: requests can be answered now</li>
</ul>
</html>
`))

// serveFront writes the front page with the URL and the version of the server.
func (s *Server) serveFront(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	rest.BaseHeaders(header, s.rest.RequestID(r))
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'")
	var page bytes.Buffer
	values := map[string]any{"URL": s.publicURL, "Version": s.version, "Reference": !s.omitsReference}
	_ = frontPage.Execute(&page, values) // cannot fail: texts and a condition
	s.rest.SendPage(w, r, page.Bytes())
}

// serveReference writes a file of the reference page.
func (s *Server) serveReference(w http.ResponseWriter, r *http.Request, file string) {
	rest.BaseHeaders(w.Header(), s.rest.RequestID(r))
	if err := apidoc.ServeViewer(w, r, file); err != nil {
		s.rest.Refuse(w, r, rest.PublicError(err))
	}
}
