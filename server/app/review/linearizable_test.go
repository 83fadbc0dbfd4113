package review_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// spaceState is the state of the model of a space: the number of change requests, which of them are merged, and the
// head.
type spaceState struct {
	requests int
	merged   [64]bool
	head     string
}

// spaceOperation is an operation on the model: create, merge or read.
type spaceOperation struct {
	operation string
	number    int // of the change request to merge
}

// spaceResult is the result of an operation.
type spaceResult struct {
	status   int
	number   int // number of the new change request, or of all change requests
	revision string
}

// checkStep reports whether a result is possible in a state, and returns the next state.
func checkStep(state, input, output any) (bool, any) {
	s, in, out := state.(spaceState), input.(spaceOperation), output.(spaceResult)
	switch in.operation {
	case "create":
		s.requests++
		return out.status == http.StatusCreated && out.number == s.requests, s
	case "merge":
		if s.merged[in.number] {
			return out.status == http.StatusConflict, s
		}
		s.merged[in.number], s.head = true, out.revision
		return out.status == http.StatusOK, s
	default:
		return out.number == s.requests && out.revision == s.head, s
	}
}

// history records the operations of concurrent clients.
type history struct {
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (h *history) record(client int, in spaceOperation, act func() spaceResult) spaceResult {
	called := time.Now().UnixNano()
	out := act()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: client, Input: in, Call: called, Output: out, Return: time.Now().UnixNano(),
	})
	return out
}

// tryDo calls an operation and may be used by concurrent goroutines. A rejected call is an error of the test, but does not end
// the test; its result is then zero.
func tryDo[In, Out any](w *servertest.World, as string, route api.Route[In, Out], in In) (out Out) {
	a := servertest.Try(w, as, route, in)
	if a.Status != route.Status {
		w.T.Errorf("%s: %d %s", route.Name, a.Status, a.Body)
	}
	_ = json.Unmarshal(a.Body, &out)
	return out
}

// TestMergesAreLinearizable checks that the operations of 16 concurrent clients are linearizable in the numbers of change
// requests, the merges and the head: no number is given twice, nothing is merged twice, and no old head returns.
func TestMergesAreLinearizable(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const clients = 16
		space, _ := w.NewSpaceWithPage("Green.\n")
		start := servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
		h := &history{}
		refs := make([]api.ChangeRequestRef, clients)
		numbers := make([]int, clients)
		read := func(i int) {
			h.record(i, spaceOperation{operation: "read"}, func() spaceResult {
				seen := tryDo(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
				return spaceResult{number: seen.ChangeRequests, revision: seen.Revision}
			})
		}
		merge := func(i, whose int) {
			h.record(i, spaceOperation{"merge", numbers[whose]}, func() spaceResult {
				a := servertest.Try(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(refs[whose]))
				var result api.MergeResult
				_ = json.Unmarshal(a.Body, &result)
				return spaceResult{status: a.Status, revision: result.Revision}
			})
		}
		servertest.Concurrently(clients, func(i int) {
			out := h.record(i, spaceOperation{operation: "create"}, func() spaceResult {
				created := tryDo(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
				refs[i] = api.ChangeRequestRef{Space: space, ChangeRequest: created.ID}
				return spaceResult{status: http.StatusCreated, number: created.Number}
			})
			numbers[i] = out.number
			read(i)
			tryDo(w, "editor", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: refs[i], Body: api.ContentEdit{
				Changes: []api.ContentChange{servertest.NewPage(fmt.Sprintf("Page %d", i), "x\n")},
			}})
		})
		servertest.Concurrently(clients, func(i int) {
			merge(i, i)
			read(i)
			merge(i, (i+1)%clients)
		})
		initial := spaceState{requests: start.ChangeRequests, head: start.Revision}
		initial.merged[1] = true
		model := porcupine.Model{Init: func() any { return initial }, Step: checkStep}
		if !porcupine.CheckOperations(model, h.operations) {
			for _, o := range h.operations {
				t.Logf("%d: %+v -> %+v", o.ClientId, o.Input, o.Output)
			}
			t.Error("there is no order of these operations that explains the answers")
		}
		servertest.Equal(t, "pages", clients+1,
			len(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
	})
}

// TestOneOfTwoConflictingMergesWins checks that if two merges exclude each other, exactly one succeeds and the other returns
// the conflicts.
func TestOneOfTwoConflictingMergesWins(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		for range 5 {
			space, page := w.NewSpaceWithPage("The lamp is green.\n")
			refs := []api.ChangeRequestRef{w.NewRequest("editor", space), w.NewRequest("editor", space)}
			texts := []string{"The lamp is red.\n", "The lamp is blue.\n"}
			for i, ref := range refs {
				w.Change(ref, servertest.Write(page, texts[i]))
			}
			results := make([]api.MergeResult, 2)
			servertest.Concurrently(2, func(i int) {
				results[i] = tryDo(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(refs[i]))
			})
			won := 0
			if results[1].Result == api.OutcomeMerge {
				won = 1
			}
			servertest.Equal(t, "the winner", api.OutcomeMerge, results[won].Result)
			servertest.Equal(t, "the other one", api.OutcomeConflicts, results[1-won].Result)
			servertest.Equal(t, "text", texts[won], w.PageText(space, page))
		}
	})
}

// TestMergeIgnoresConcurrentComments checks that a continuous stream of comments does not prevent a merge.
func TestMergeIgnoresConcurrentComments(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const merges, comments, commenters = 5, 200, 4
		space, _ := w.NewSpaceWithPage("Green.\n")
		refs := make([]api.ChangeRequestRef, merges)
		for i := range refs {
			refs[i] = w.NewRequest("editor", space)
			w.InsertPage(refs[i], servertest.NewPage(fmt.Sprintf("Page %d", i), "x\n"))
		}
		var posted, merged atomic.Int64
		servertest.Concurrently(commenters+1, func(i int) {
			if i == commenters {
				for _, ref := range refs {
					if tryDo(w, "reviewer", api.MergeChangeRequest, servertest.MergeInput(ref)).Result == api.OutcomeMerge {
						merged.Add(1)
					}
				}
				return
			}
			for n := range comments / commenters {
				body := api.CommentCreate{Body: servertest.CommentBody("Again.")}
				ref := refs[n%merges]
				if a := servertest.Try(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
					ChangeRequestRef: ref, Body: body,
				}); a.Status == http.StatusOK {
					posted.Add(1)
				}
			}
		})
		servertest.Equal(t, "merged", int64(merges), merged.Load())
		servertest.Equal(t, "comments", int64(comments), posted.Load())
	})
}
