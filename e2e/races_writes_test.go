package e2e

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// variableWrite is a position where a package variable may be written.
type variableWrite struct {
	variable *types.Var
	position token.Pos
}

// mutators lists functions of the standard library that change their first argument.
var mutators = []string{"slices.Sort", "slices.SortFunc", "slices.SortStableFunc", "slices.Reverse", "sort.Strings", "sort.Slice"}

// writesAfterStart returns the positions where a package writes its variables, directly or through a pointer, outside
// of initializers, init functions, and functions called only by them. Variables of types in sync and sync/atomic are
// ignored, and so are writes by other packages.
func writesAfterStart(p *checkedPackage) (all []variableWrite) {
	starting := p.startFunctions()
	for _, file := range p.files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && starting[p.info.Defs[fn.Name]] {
				// Only report writes in function literals, which may be called after the start.
				ast.Inspect(fn, func(n ast.Node) bool {
					if literal, ok := n.(*ast.FuncLit); ok {
						all = append(all, p.writes(literal.Body)...)
					}
					return true
				})
				continue
			} else if ok {
				all = append(all, p.writes(fn)...)
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if literal, ok := n.(*ast.FuncLit); ok {
					all = append(all, p.writes(literal.Body)...)
				}
				return true
			})
		}
	}
	return all
}

// startFunctions returns the functions that run only before main: init, and unexported functions that only
// initializers and other such functions call.
func (p *checkedPackage) startFunctions() map[types.Object]bool {
	users := map[types.Object]map[types.Object]bool{} // users by function; nil is an initializer
	starting := map[types.Object]bool{}
	later := types.NewVar(token.NoPos, nil, "later", types.Typ[types.Int])
	for _, file := range p.files {
		for _, decl := range file.Decls {
			var user types.Object
			if fn, ok := decl.(*ast.FuncDecl); ok {
				user = p.info.Defs[fn.Name]
				starting[user] = fn.Recv == nil && !fn.Name.IsExported() && fn.Name.Name != "main"
			}
			p.eachUse(decl, user, later, users)
		}
	}
	for changed := true; changed; {
		changed = false
		for fn, is := range starting {
			if !is || fn.Name() == "init" {
				continue
			}
			used := users[fn]
			for user := range used {
				if user != nil && !starting[user] {
					used = nil
				}
			}
			if len(used) == 0 {
				starting[fn], changed = false, true
			}
		}
	}
	return starting
}

// eachUse adds the functions that a declaration uses to users. Function literals are attributed to later.
func (p *checkedPackage) eachUse(decl ast.Node, user, later types.Object, users map[types.Object]map[types.Object]bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			p.eachUse(n.Body, later, later, users)
			return false
		case *ast.Ident:
			if fn, ok := p.info.Uses[n].(*types.Func); ok {
				fn = fn.Origin()
				if users[fn] == nil {
					users[fn] = map[types.Object]bool{}
				}
				users[fn][user] = true
			}
		}
		return true
	})
}

// writes returns the writes of package variables in a node.
func (p *checkedPackage) writes(node ast.Node) (all []variableWrite) {
	add := func(e ast.Expr) {
		if v := p.variable(e); v != nil {
			all = append(all, variableWrite{v, e.Pos()})
		}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				add(e)
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				add(n.Key)
				add(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X)
			}
		case *ast.CallExpr:
			if p.mutates(n) {
				add(n.Args[0])
			}
			if e := p.pointerReceiver(n); e != nil {
				add(e)
			}
		}
		return true
	})
	return all
}

// mutates reports whether a call changes its first argument.
func (p *checkedPackage) mutates(call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		builtin, ok := p.info.Uses[fn].(*types.Builtin)
		return ok && slices.Contains([]string{"delete", "clear", "copy"}, builtin.Name())
	case *ast.SelectorExpr:
		object := p.info.Uses[fn.Sel]
		return object != nil && object.Pkg() != nil && slices.Contains(mutators, object.Pkg().Path()+"."+object.Name())
	}
	return false
}

// pointerReceiver returns the receiver of a method call whose address the call takes implicitly, or nil.
func (p *checkedPackage) pointerReceiver(call *ast.CallExpr) ast.Expr {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || p.info.Selections[selector] == nil {
		return nil
	}
	method, ok := p.info.Selections[selector].Obj().(*types.Func)
	if !ok || method.Signature().Recv() == nil {
		return nil
	}
	_, byPointer := method.Signature().Recv().Type().(*types.Pointer)
	_, isPointer := p.info.Selections[selector].Recv().Underlying().(*types.Pointer)
	if !byPointer || isPointer {
		return nil
	}
	return selector.X
}

// variable returns the package variable that an expression is part of, unless its type is in sync.
func (p *checkedPackage) variable(e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SelectorExpr:
			if p.info.Selections[x] == nil { // of another package
				e = x.Sel
			} else {
				e = x.X
			}
		case *ast.Ident:
			v, ok := p.info.Uses[x].(*types.Var)
			if !ok || v.Parent() == nil || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() || isSyncType(v.Type()) {
				return nil
			}
			return v
		default:
			return nil
		}
	}
}

func isSyncType(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path()+"/", "sync/")
}
