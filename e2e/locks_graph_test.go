package e2e

import (
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// callGraph is a call graph with edges per call instruction.
type callGraph struct {
	functions    map[*ssa.Function]bool
	targets      map[ssa.CallInstruction][]*ssa.Function
	reachedCount int // number of functions that run under the lock
}

// newCallGraph resolves calls of function values by the flow of values (VTA), and calls of interface methods by the
// types that have them (CHA), because a value may come from a package whose code is not loaded.
func newCallGraph(program *ssa.Program) *callGraph {
	g := &callGraph{functions: ssautil.AllFunctions(program), targets: map[ssa.CallInstruction][]*ssa.Function{}}
	byType := cha.CallGraph(program)
	byFlow := vta.CallGraph(g.functions, byType)
	for f := range g.functions {
		if node := byFlow.Nodes[f]; node != nil {
			for _, e := range node.Out {
				g.add(e.Site, e.Callee.Func)
			}
		}
		if node := byType.Nodes[f]; node != nil {
			for _, e := range node.Out {
				if e.Site != nil && e.Site.Common().IsInvoke() {
					g.add(e.Site, e.Callee.Func)
				}
			}
		}
	}
	return g
}

func (g *callGraph) add(site ssa.CallInstruction, callee *ssa.Function) {
	if site != nil && !slices.Contains(g.targets[site], callee) {
		g.targets[site] = append(g.targets[site], callee)
	}
}

// callees returns the functions that a call may run. A function whose code is not loaded may call its function
// arguments.
func (g *callGraph) callees(call ssa.CallInstruction) []*ssa.Function {
	all := slices.Clone(g.targets[call])
	if !slices.ContainsFunc(all, func(f *ssa.Function) bool { return len(f.Blocks) == 0 }) {
		return all
	}
	for _, argument := range call.Common().Args {
		if f := functionOf(argument); f != nil && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// functionOf returns the function that a value denotes statically, or nil.
func functionOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		f, _ := v.Fn.(*ssa.Function)
		return f
	case *ssa.ChangeType:
		return functionOf(v.X)
	}
	return nil
}

// calls returns the calls of a function, except go statements.
func calls(f *ssa.Function) []ssa.CallInstruction {
	var all []ssa.CallInstruction
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			if call, ok := instruction.(ssa.CallInstruction); ok {
				if _, begins := call.(*ssa.Go); !begins {
					all = append(all, call)
				}
			}
		}
	}
	return all
}

// functionsUnderLock returns the functions that are called while the lock is held: from a call of Lock or RLock to the
// call of Unlock or RUnlock in the same block, or to the end of the function if the unlock is deferred.
func (g *callGraph) functionsUnderLock(t *testing.T) []*ssa.Function {
	t.Helper()
	under := map[*ssa.Function]bool{}
	for f := range g.functions {
		for _, block := range f.Blocks {
			for i, instruction := range block.Instrs {
				if !isLockCall(instruction, "Lock", "RLock") {
					continue
				}
				held, released := g.heldCalls(f, block, i)
				if !released {
					t.Errorf("%s takes the lock, and neither gives it back in the same block nor defers that", f)
				}
				for _, callee := range held {
					under[callee] = true
				}
			}
		}
	}
	roots := make([]*ssa.Function, 0, len(under))
	for f := range under {
		roots = append(roots, f)
	}
	slices.SortFunc(roots, func(a, b *ssa.Function) int { return int(a.Pos() - b.Pos()) })
	return roots
}

// heldCalls returns the functions called after the instruction of a block that takes the lock, and whether the block
// releases it.
func (g *callGraph) heldCalls(f *ssa.Function, block *ssa.BasicBlock, at int) (held []*ssa.Function, released bool) {
	for _, instruction := range block.Instrs[at+1:] {
		if _, deferred := instruction.(*ssa.Defer); isLockCall(instruction, "Unlock", "RUnlock") {
			if !deferred {
				return held, true
			}
			released = true
			continue
		}
		held = append(held, g.calleesOf(instruction)...)
	}
	for _, other := range f.Blocks {
		if other != block && block.Dominates(other) {
			for _, instruction := range other.Instrs {
				held = append(held, g.calleesOf(instruction)...)
			}
		}
	}
	return held, released
}

// calleesOf returns the functions that an instruction may call. Deferred calls run before the lock is released.
func (g *callGraph) calleesOf(instruction ssa.Instruction) []*ssa.Function {
	call, ok := instruction.(ssa.CallInstruction)
	if _, begins := instruction.(*ssa.Go); !ok || begins {
		return nil
	}
	return g.callees(call)
}

// isLockCall reports whether an instruction calls or defers one of the methods of the model's lock.
func isLockCall(instruction ssa.Instruction, methods ...string) bool {
	call, ok := instruction.(ssa.CallInstruction)
	if !ok {
		return false
	}
	callee := call.Common().StaticCallee()
	if callee == nil || !slices.Contains(methods, callee.Name()) || len(call.Common().Args) == 0 {
		return false
	}
	field, ok := call.Common().Args[0].(*ssa.FieldAddr)
	if !ok {
		return false
	}
	pointer, ok := field.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := pointer.Elem().(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != lockPackage || named.Obj().Name() != lockType {
		return false
	}
	fields, ok := named.Underlying().(*types.Struct)
	return ok && fields.Field(field.Field).Name() == lockField
}
