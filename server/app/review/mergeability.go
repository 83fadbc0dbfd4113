package review

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
)

// mergeRulesError returns the error for a merge that fails rules, or nil if there are none.
func mergeRulesError(f api.ChangeRequestFields, rules []api.FieldError) error {
	if len(rules) == 0 {
		return nil
	}
	reasons := make([]string, len(rules))
	for i, rule := range rules {
		reasons[i] = rule.Message
	}
	e := api.Errorf(http.StatusConflict, api.ReasonMergeRules, "It may not be merged yet. %s", strings.Join(reasons, " ")).
		WithHint("Who can clear it: wsctl change-requests mergeable %d --space %s", f.Number, f.Space)
	e.Fields = rules
	return e
}

// showMergeability computes the merge without applying it and returns the results of all checks.
func (s *Service) showMergeability(ctx context.Context, c *rest.Call, in api.ChangeRequestRef) (none rest.Result[api.Mergeability],
	err error,
) {
	plan, err := s.LoadMergePlan(ctx, c, in)
	if err != nil {
		return none, err
	}
	if CheckUnfinished(plan.Request.ChangeRequestDocument, "") == nil {
		if err := s.merge(ctx, &plan, nil); err != nil {
			return none, err
		}
	}
	f, err := s.gatherFacts(ctx, c, &plan)
	if err != nil {
		return none, err
	}
	data, err := s.mergeabilityObject(c, f, plan)
	r := rest.Result[api.Mergeability]{JSON: data}
	return r.WithVersion(strconv.FormatInt(plan.Request.Version, 10) + "." + plan.Theirs.Revision), err
}

func (s *Service) mergeabilityObject(c *rest.Call, f mergeFacts, plan mergePlan) ([]byte, error) {
	mergeable := true
	rules := []json.RawMessage{}
	var err error
	c.Access(func(model *access.Model) {
		for _, g := range f.checks() {
			mergeable = mergeable && g.state != api.GateFailed
			item, e := s.checkObject(model, g)
			if rules = append(rules, item); e != nil {
				err = e
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return rest.ExtendObject([]byte(`{}`)).
		Set("mergeable", mergeable).
		Set("revision", plan.Theirs.Revision).
		Set("spaceRevision", plan.ours.Revision).
		Set("rules", rules).Bytes()
}

func (s *Service) checkObject(model *access.Model, g check) ([]byte, error) {
	people := func(ids []string) []json.RawMessage {
		out := make([]json.RawMessage, len(ids))
		for i, id := range ids {
			out[i] = s.View.Person(model, id)
		}
		return out
	}
	o := rest.ExtendObject([]byte(`{}`)).Set("rule", g.rule).Set("state", g.state).Set("message", g.message).
		SetIf(g.cause != "", "cause", g.cause).SetIf(len(g.namedUsers) > 0, "users", people(g.namedUsers)).
		SetIf(len(g.staleReviewers) > 0, "stale", people(g.staleReviewers)).
		SetIf(g.count > 0, "count", g.count).SetIf(len(g.links) > 0, "links", g.links)
	if open := g.state != api.GatePassed; open && (g.role != "" || len(g.users) > 0) {
		by := rest.ExtendObject([]byte(`{}`)).SetIf(g.role != "", "role", g.role).SetIf(len(g.users) > 0, "users", people(g.users))
		o.SetObject("clearedBy", by)
	}
	if len(g.unseen) > 0 {
		unseen := make([]api.UnseenChange, len(g.unseen))
		for i, item := range g.unseen {
			unseen[i] = api.UnseenChange{ID: item.ID, Title: item.Title, Reason: item.Reason}
			if strings.HasPrefix(item.ID, revision.VariableItemPrefix) {
				unseen[i].ID = ""
			}
		}
		o.Set("unseen", unseen)
	}
	return o.Bytes()
}
