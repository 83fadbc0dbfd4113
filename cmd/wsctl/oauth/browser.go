package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"
)

const (
	headerTime   = 10 * time.Second // for the header of a request to the loopback address
	closingTime  = 2 * time.Second  // for the page that the browser shows last
	maxHeader    = 32 << 10
	pageSignedIn = "You are signed in. You can close this window."
	pageFailed   = "You are not signed in; the terminal says why. You can close this window."
)

// SignIn signs somebody in by the browser: it calls show with the address to open, waits until the browser comes back to a loopback
// address of this process, and exchanges the code that it brings. ctx bounds the wait. It returns an *Error if the login is refused.
func (c Client) SignIn(ctx context.Context, s Server, r Request, show func(address string)) (Login, error) {
	listener, err := listenLoopback(ctx)
	if err != nil {
		return Login{}, fmt.Errorf("cannot listen for the browser: %w", err)
	}
	config := oauth2.Config{
		ClientID: ClientID, Endpoint: endpoint(s.TokenEndpoint), RedirectURL: "http://" + listener.Addr().String() + "/",
	}
	config.Endpoint.AuthURL = s.AuthorizationEndpoint
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	receiver := &receiver{
		host: listener.Addr().String(), state: state, issuer: s.Issuer, answers: make(chan answer, 1),
	}
	stop := receiver.serve(ctx, listener)
	show(config.AuthCodeURL(state, append(r.options(), oauth2.S256ChallengeOption(verifier))...))
	code, err := receiver.wait(ctx)
	stop()
	if err != nil {
		return Login{}, err
	}
	token, err := config.Exchange(c.with(ctx), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return Login{}, convertError(ctx, s.TokenEndpoint, err)
	}
	return c.newLogin(token, s)
}

// listenLoopback listens on a free port of the loopback address, of IPv6 where IPv4 has none.
func listenLoopback(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err == nil {
		return listener, nil
	}
	listener, errV6 := config.Listen(ctx, "tcp6", "[::1]:0")
	if errV6 != nil {
		return nil, errors.Join(err, errV6)
	}
	return listener, nil
}

// answer is the outcome that the browser brings: a code, or the error of the login.
type answer struct {
	code string
	err  error
}

// receiver is the page to which the browser comes back. It accepts one request, which has the state of this login.
type receiver struct {
	host, state, issuer string
	answers             chan answer
}

// serve answers requests until stop is called, which lets the browser read its page.
func (v *receiver) serve(ctx context.Context, listener net.Listener) (stop func()) {
	server := &http.Server{
		Handler: v, ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0),
	}
	ended := make(chan struct{})
	go func() {
		_ = server.Serve(listener) // ends with stop
		close(ended)
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
		defer cancel()
		_ = server.Shutdown(ctx) // a connection without a request may be left
		_ = server.Close()       // what is left
		<-ended
	}
}

// wait returns the code of the login.
func (v *receiver) wait(ctx context.Context) (string, error) {
	select {
	case a := <-v.answers:
		return a.code, a.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", &Error{Message: "nobody has signed in in the browser in time", Hint: "wsctl login, or without a browser " +
				"on this computer: wsctl login --device"}
		}
		return "", ctx.Err()
	}
}

// ServeHTTP implements http.Handler. A request that is not the end of this login is refused and changes nothing, because any page and
// any program of this computer can send one.
func (v *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Connection", "close")
	query, err := url.ParseQuery(r.URL.RawQuery)
	state := subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(v.state)) == 1
	if err != nil || r.Method != http.MethodGet || r.Host != v.host || r.URL.Path != "/" || !state {
		w.WriteHeader(http.StatusBadRequest)
		writePage(w, "This is not the end of a login.")
		return
	}
	result := v.read(query)
	select {
	case v.answers <- result:
	default: // a second request
		w.WriteHeader(http.StatusBadRequest)
		writePage(w, "This login has ended.")
		return
	}
	if result.err != nil {
		writePage(w, pageFailed)
		return
	}
	writePage(w, pageSignedIn)
}

// read returns the answer in the parameters of a request with the state of this login.
func (v *receiver) read(query url.Values) answer {
	for _, values := range query {
		if len(values) > 1 {
			return answer{err: &Error{Message: "the browser came back with a parameter twice", Hint: "wsctl login"}}
		}
	}
	switch code := query.Get("code"); {
	case query.Get("iss") != v.issuer:
		return answer{err: &Error{
			Message: fmt.Sprintf("the answer to the login is from %q instead of %q", query.Get("iss"), v.issuer), Hint: "wsctl login",
		}}
	case query.Has("error"):
		return answer{err: newError(0, query.Get("error"), query.Get("error_description"))}
	case code == "":
		return answer{err: &Error{Message: "the browser came back without the code of the login", Hint: "wsctl login"}}
	default:
		return answer{code: code}
	}
}

func writePage(w io.Writer, text string) {
	const page = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>wsctl</title>\n<p>%s</p>\n</html>\n"
	_, _ = fmt.Fprintf(w, page, text) // the browser may be gone
}
