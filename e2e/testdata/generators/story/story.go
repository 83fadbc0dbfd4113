// Package story is what the programs that use the generated clients have in common. It counts and prints their calls, and ends the
// program at the first one with an unexpected answer.
package story

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
)

// Texts of pages. Both changes of the text begin at Before, so that they conflict.
const (
	Before = "The pump runs at 40 Hz.\n"
	First  = "The pump runs at 50 Hz.\n"
	Second = "The pump runs at 60 Hz.\n"
)

// Author makes the calls of a story with a generated client.
type Author interface {
	Begin()
	Patch()
	Refusals()
	Write() (request string)
	Review(request string)
	Merge(request string)
	Conflict()
	List()
}

// Story counts and prints the calls of a client.
type Story struct {
	URL, Token string
	later      string // what the server answers instead of each value of an enumeration that may grow; "" = the values
	calls      int
	status     int // of the last answer
}

// New returns a story with the flags and the environment of the program.
func New() *Story {
	s := &Story{Token: os.Getenv("WSD_TOKEN")}
	log.SetFlags(0)
	flag.StringVar(&s.URL, "url", "", "base `URL` of the API")
	flag.StringVar(&s.later, "later", "", "`value` that the server answers instead of each value of an enumeration that may grow")
	flag.Parse()
	return s
}

// Client returns an HTTP client for the generated client.
func (s *Story) Client() *http.Client { return &http.Client{Transport: s} }

// RoundTrip sends a request and prints its number, method, path and status.
func (s *Story) RoundTrip(r *http.Request) (*http.Response, error) {
	s.calls++
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	s.status = answer.StatusCode
	fmt.Printf("%2d %s %s: %d\n", s.calls, r.Method, r.URL.Path, s.status)
	return answer, nil
}

// Check ends the program unless the last call has the status and no error.
func (s *Story) Check(name string, status int, err error) {
	if err != nil || s.status != status {
		log.Fatalf("%s: the status is %d, want %d: %v", name, s.status, status, err)
	}
}

// True ends the program unless a condition holds.
func (s *Story) True(name string, holds bool) {
	if !holds {
		log.Fatalf("%s: false", name)
	}
}

// Equal ends the program unless two texts are equal.
func (s *Story) Equal(name, got, want string) {
	if got != want {
		log.Fatalf("%s: %q, want %q", name, got, want)
	}
}

// Value is Equal for a value of an enumeration that may grow. With -later, the client has to return what the server has answered.
func (s *Story) Value(name, got, want string) {
	if s.later != "" {
		want = s.later
	}
	s.Equal(name, got, want)
}

// Run lets an author make all calls and prints their number.
func (s *Story) Run(a Author) {
	a.Begin()
	a.Patch()
	a.Refusals()
	request := a.Write()
	a.Review(request)
	a.Merge(request)
	a.Conflict()
	a.List()
	fmt.Printf("%d calls\n", s.calls)
}
