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
func answered[In, Out any](w *servertest.World, as string, route api.Route[In, Out], in In) (out Out) {
	a := servertest.Try(w, as, route, in)
	if a.Status != route.Status {
		w.T.Errorf("%s: %d %s", route.Name, a.Status, a.Body)
	}
	_ = json.Unmarshal(a.Body, &out)
	return out
}

// Numbers of change requests, merges and the head that readers see are those of some order of what 16 clients do at
// once: no number twice, no merge twice, no head that comes back.
func TestMergesAreLinearizable(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const clients = 16
		space, _ := w.Seed("Green.\n")
		start := servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: space})
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
				a := servertest.Try(w, "reviewer", api.MergeChangeRequest, servertest.MergeOf(refs[whose]))
				var result api.MergeResult
				_ = json.Unmarshal(a.Body, &result)
				return spaceSeen{status: a.Status, revision: result.Revision}
			})
		}
		servertest.Together(clients, func(i int) {
			out := h.record(i, spaceStep{operation: "create"}, func() spaceSeen {
				made := answered(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{Space: space})
				refs[i] = api.ChangeRequestRef{Space: space, ChangeRequest: made.ID}
				return spaceSeen{status: http.StatusCreated, number: made.Number}
			})
			numbers[i] = out.number
			read(i)
			answered(w, "editor", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: refs[i], Body: api.ContentEdit{
				Changes: []api.ContentChange{servertest.NewPage(fmt.Sprintf("Page %d", i), "x\n")},
			}})
		})
		servertest.Together(clients, func(i int) {
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
		servertest.Equal(t, "pages", clients+1, len(servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages))
	})
}

// Of two merges that cannot both be, exactly one wins, whoever comes first; the other one is told what is in the way.
func TestOneOfTwoConflictingMergesWins(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		for range 5 {
			space, page := w.Seed("The lamp is green.\n")
			refs := []api.ChangeRequestRef{w.NewRequest("editor", space), w.NewRequest("editor", space)}
			texts := []string{"The lamp is red.\n", "The lamp is blue.\n"}
			for i, ref := range refs {
				w.Change(ref, servertest.Write(page, texts[i]))
			}
			results := make([]api.MergeResult, 2)
			servertest.Together(2, func(i int) { results[i] = answered(w, "reviewer", api.MergeChangeRequest, servertest.MergeOf(refs[i])) })
			won := 0
			if results[1].Result == api.OutcomeMerge {
				won = 1
			}
			servertest.Equal(t, "the winner", api.OutcomeMerge, results[won].Result)
			servertest.Equal(t, "the other one", api.OutcomeConflicts, results[1-won].Result)
			servertest.Equal(t, "text", texts[won], w.Text(space, page))
		}
	})
}

// People who comment without a pause do not keep a change request from being merged.
func TestMergesDoNotWaitForComments(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		const merges, comments, commenters = 5, 200, 4
		space, _ := w.Seed("Green.\n")
		refs := make([]api.ChangeRequestRef, merges)
		for i := range refs {
			refs[i] = w.NewRequest("editor", space)
			w.InsertPage(refs[i], servertest.NewPage(fmt.Sprintf("Page %d", i), "x\n"))
		}
		var posted, merged atomic.Int64
		servertest.Together(commenters+1, func(i int) {
			if i == commenters {
				for _, ref := range refs {
					if answered(w, "reviewer", api.MergeChangeRequest, servertest.MergeOf(ref)).Result == api.OutcomeMerge {
						merged.Add(1)
					}
				}
				return
			}
			for n := range comments / commenters {
				body := api.CommentCreate{Body: servertest.Says("Again.")}
				ref := refs[n%merges]
				if a := servertest.Try(w, "commenter", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: ref, Body: body}); a.Status == http.StatusOK {
					posted.Add(1)
				}
			}
		})
		servertest.Equal(t, "merged", int64(merges), merged.Load())
		servertest.Equal(t, "comments", int64(comments), posted.Load())
	})
}
