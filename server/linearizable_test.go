package server_test

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
)

// SpaceState is what the model of a space knows: how many change requests there are, which of them are merged, and the
// head.
type spaceState struct {
	made   int
	merged [64]bool
	head   string
}

// spaceStep is one operation on it: create, merge or read.
type spaceStep struct {
	operation string
	number    int // of the change request to merge
}

// spaceSeen is what it was answered with.
type spaceSeen struct {
	status   int
	number   int // of the change request that was made; or how many there are
	revision string
}

// stepSpace says whether an answer is possible in a state, and what the state is then.
func stepSpace(state, input, output any) (bool, any) {
	s, in, out := state.(spaceState), input.(spaceStep), output.(spaceSeen)
	switch in.operation {
	case "create":
		s.made++
		return out.status == http.StatusCreated && out.number == s.made, s
	case "merge":
		if s.merged[in.number] {
			return out.status == http.StatusConflict, s
		}
		s.merged[in.number], s.head = true, out.revision
		return out.status == http.StatusOK, s
	default:
		return out.number == s.made && out.revision == s.head, s
	}
}

// history records the operations of many clients.
type history struct {
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (h *history) record(client int, in spaceStep, act func() spaceSeen) spaceSeen {
	called := time.Now().UnixNano()
	out := act()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, porcupine.Operation{
		ClientId: client, Input: in, Call: called, Output: out, Return: time.Now().UnixNano(),
	})
	return out
}

// answered is do for several at once: a refusal is an error, and the answer then is the zero one.
func answered[In, Out any](w *world, as string, route api.Route[In, Out], in In) (out Out) {
	a := try(w, as, route, in)
	if a.Status != route.Status {
		w.t.Errorf("%s: %d %s", route.Name, a.Status, a.Body)
	}
	_ = json.Unmarshal(a.Body, &out)
	return out
}

// Numbers of change requests, merges and the head that readers see are those of some order of what 16 clients do at
// once: no number twice, no merge twice, no head that comes back.
func TestMergesAreLinearizable(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		const clients = 16
		space, _ := w.seed("Green.\n")
		start := do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
		h := &history{}
		refs := make([]api.ChangeRequestRef, clients)
		numbers := make([]int, clients)
		read := func(i int) {
			h.record(i, spaceStep{operation: "read"}, func() spaceSeen {
				seen := answered(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
				return spaceSeen{number: seen.ChangeRequests, revision: seen.Revision}
			})
		}
		merge := func(i, whose int) {
			h.record(i, spaceStep{"merge", numbers[whose]}, func() spaceSeen {
				a := try(w, "reviewer", api.MergeChangeRequest, mergeOf(refs[whose]))
				var result api.MergeResult
				_ = json.Unmarshal(a.Body, &result)
				return spaceSeen{status: a.Status, revision: result.Revision}
			})
		}
		together(clients, func(i int) {
			out := h.record(i, spaceStep{operation: "create"}, func() spaceSeen {
				made := answered(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
				refs[i] = api.ChangeRequestRef{Space: space, ChangeRequest: made.ID}
				return spaceSeen{status: http.StatusCreated, number: made.Number}
			})
			numbers[i] = out.number
			read(i)
			answered(w, "editor", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: refs[i], Body: api.ContentEdit{
				Changes: []api.ContentChange{newPage(fmt.Sprintf("Page %d", i), "x\n")},
			}})
		})
		together(clients, func(i int) {
			merge(i, i)
			read(i)
			merge(i, (i+1)%clients)
		})
		initial := spaceState{made: start.ChangeRequests, head: start.Revision}
		initial.merged[1] = true
		model := porcupine.Model{Init: func() any { return initial }, Step: stepSpace}
		if !porcupine.CheckOperations(model, h.operations) {
			for _, o := range h.operations {
				t.Logf("%d: %+v -> %+v", o.ClientId, o.Input, o.Output)
			}
			t.Error("there is no order of these operations that explains the answers")
		}
		equal(t, "pages", clients+1, len(do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
	})
}

// Of two merges that cannot both be, exactly one wins, whoever comes first; the other one is told what is in the way.
func TestOneOfTwoConflictingMergesWins(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		for range 5 {
			space, page := w.seed("The lamp is green.\n")
			refs := []api.ChangeRequestRef{w.newRequest("editor", space), w.newRequest("editor", space)}
			texts := []string{"The lamp is red.\n", "The lamp is blue.\n"}
			for i, ref := range refs {
				w.change(ref, write(page, texts[i]))
			}
			results := make([]api.MergeResult, 2)
			together(2, func(i int) { results[i] = answered(w, "reviewer", api.MergeChangeRequest, mergeOf(refs[i])) })
			won := 0
			if results[1].Result == api.OutcomeMerge {
				won = 1
			}
			equal(t, "the winner", api.OutcomeMerge, results[won].Result)
			equal(t, "the other one", api.OutcomeConflicts, results[1-won].Result)
			equal(t, "text", texts[won], w.text(space, page))
		}
	})
}

// People who comment without a pause do not keep a change request from being merged.
func TestMergesDoNotWaitForComments(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		const merges, comments, commenters = 5, 200, 4
		space, _ := w.seed("Green.\n")
		refs := make([]api.ChangeRequestRef, merges)
		for i := range refs {
			refs[i] = w.newRequest("editor", space)
			w.insertPage(refs[i], newPage(fmt.Sprintf("Page %d", i), "x\n"))
		}
		var posted, merged atomic.Int64
		together(commenters+1, func(i int) {
			if i == commenters {
				for _, ref := range refs {
					if answered(w, "reviewer", api.MergeChangeRequest, mergeOf(ref)).Result == api.OutcomeMerge {
						merged.Add(1)
					}
				}
				return
			}
			for n := range comments / commenters {
				body := api.CommentCreate{Body: says("Again.")}
				ref := refs[n%merges]
				if a := try(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: ref, Body: body}); a.Status == http.StatusOK {
					posted.Add(1)
				}
			}
		})
		equal(t, "merged", int64(merges), merged.Load())
		equal(t, "comments", int64(comments), posted.Load())
	})
}
