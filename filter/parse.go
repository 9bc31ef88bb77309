package filter

import "github.com/ibwire/ibwire/field"

// An op is what a node of the parsed filter does.
type op uint8

const (
	opField   op = iota // text is its name
	opWord              // a value without quotes
	opText              // a string
	opChar              // a character
	opCall              // text is the function's name
	opSlice             // of its one argument
	opLayer             // some of the layers that a field is in
	opMinus             // of one argument
	opMath              // text is the operator
	opCompare           // text is the operator
	opContains
	opMatches
	opIn // the first argument in the set of the others
	opRange
	opNot
	opAnd
	opOr
)

// A node is a part of a parsed filter.
type node struct {
	op     op
	text   string
	args   []*node
	ranges []rng
	match  match // of a relation
	span
}

// A match says how many of a field's values have to fulfil a relation.
type match uint8

const (
	asOperator match = iota // what is usual for the operator
	matchAny
	matchAll
)

// levels are the binding powers of the operators with two operands, the weakest
// first.
var levels = map[string]int{
	"||": orLevel, "&&": andLevel,
	"==": relationLevel, "!=": relationLevel, "===": relationLevel, "!==": relationLevel,
	">": relationLevel, ">=": relationLevel, "<": relationLevel, "<=": relationLevel,
	"contains": relationLevel, "matches": relationLevel, "in": relationLevel,
	"&": bitLevel, "+": sumLevel, "-": sumLevel, "*": productLevel, "/": productLevel, "%": productLevel,
}

const (
	orLevel = iota + 1
	andLevel
	notLevel
	relationLevel
	bitLevel
	sumLevel
	productLevel
	signLevel
)

// maxDepth is how deep a filter may be nested.
const maxDepth = 200

// A parser takes tokens apart. Behind its first error it is at the end token, and
// nodes mean nothing.
type parser struct {
	text   string
	tokens []token
	at     int
	depth  int
	err    *Error
}

// parse returns the root of a filter, or nil if there is nothing in the text.
func parse(text string) (*node, *Error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{text: text, tokens: tokens}
	if p.token().kind == endToken {
		return nil, nil
	}
	n := p.expression(0)
	if p.token().kind != endToken {
		p.unexpected()
	}
	return n, p.err
}

func (p *parser) token() *token { return &p.tokens[p.at] }

// take returns the token, which is not the last, and goes on to the next.
func (p *parser) take() *token {
	p.at++
	return &p.tokens[p.at-1]
}

// accept goes on to the next token if this one is a symbol.
func (p *parser) accept(symbol string) bool {
	if !p.token().is(symbol) {
		return false
	}
	p.at++
	return true
}

// expect is accept for what has to be there.
func (p *parser) expect(symbol string, opened span) {
	if p.accept(symbol) {
		return
	}
	if p.token().kind == endToken {
		p.fail(opened, "this is not closed with %s", symbol)
		return
	}
	p.unexpected()
}

func (p *parser) fail(at span, format string, args ...any) *node {
	if p.err == nil {
		p.err = fail(p.text, at, format, args...)
	}
	p.at = len(p.tokens) - 1
	return &node{span: at}
}

func (p *parser) unexpected() *node {
	t := p.token()
	if t.kind == endToken {
		return p.fail(t.span, "the filter ends too early")
	}
	return p.fail(t.span, "%s cannot stand here%s", p.text[t.start:t.end], p.guess())
}

// expression parses what is bound at least as strongly as level.
func (p *parser) expression(level int) *node {
	if p.depth++; p.depth > maxDepth {
		return p.fail(p.token().span, "the filter is nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	left := p.prefix()
	for {
		t := p.token()
		at := levels[t.text]
		if notIn := t.is("!") && p.tokens[p.at+1].is("in"); notIn {
			at = relationLevel
		} else if t.kind != symbolToken {
			return left
		}
		switch {
		case at == 0 || at < level:
			return left
		case at == relationLevel:
			left = p.relation(left)
		default:
			p.at++
			left = join(t.text, left, p.expression(at+1))
		}
	}
}

// join returns the node of two operands and what is between them.
func join(symbol string, left, right *node) *node {
	n := &node{op: opMath, text: symbol, args: []*node{left, right}, span: span{left.start, right.end}}
	switch symbol {
	case "&&":
		n.op = opAnd
	case "||":
		n.op = opOr
	default:
		return n
	}
	if left.op == n.op { // a chain is one node
		n.args = append(left.args, right)
	}
	return n
}

// relation parses the operator and what is behind it. A chain a < b < c stands
// for a < b and b < c.
func (p *parser) relation(left *node) *node {
	symbol := p.take().text
	n := &node{text: symbol, span: left.span}
	switch symbol {
	case "!":
		p.at++ // in
		in := p.set(left)
		return &node{op: opNot, text: "in", args: []*node{in}, span: in.span}
	case "in":
		return p.set(left)
	case "contains":
		n.op = opContains
	case "matches":
		n.op = opMatches
	default:
		n.op = opCompare
	}
	right := p.expression(bitLevel)
	n.args, n.end = []*node{left, right}, right.end
	if t := p.token(); n.op == opCompare && t.kind == symbolToken && levels[t.text] == relationLevel {
		rest := p.relation(right)
		return &node{op: opAnd, args: []*node{n, rest}, span: span{n.start, rest.end}}
	}
	return n
}

// set parses {a, b, c..d}.
func (p *parser) set(left *node) *node {
	n := &node{op: opIn, args: []*node{left}, span: left.span}
	opened := p.token().span
	if !p.accept("{") {
		return p.fail(opened, "a set is wanted behind in, as {4, 10..11}")
	}
	for {
		e := p.expression(bitLevel)
		if p.accept("..") {
			to := p.expression(bitLevel)
			e = &node{op: opRange, args: []*node{e, to}, span: span{e.start, to.end}}
		}
		n.args = append(n.args, e)
		if p.accept(",") {
			continue
		}
		if t := p.token(); t.kind != endToken && !t.is("}") {
			return p.fail(t.span, "a comma is wanted in front of %s, or } behind the set", p.text[t.start:t.end])
		}
		n.end = p.token().end
		p.expect("}", opened)
		return n
	}
}

// prefix parses what an expression begins with.
func (p *parser) prefix() *node {
	t := p.token()
	if t.kind != symbolToken {
		return p.postfix(p.atom())
	}
	switch t.text {
	case "!":
		p.at++
		n := p.expression(notLevel)
		return &node{op: opNot, args: []*node{n}, span: span{t.start, n.end}}
	case "any", "all":
		p.at++
		n := p.expression(relationLevel)
		if !n.quantify(map[string]match{"any": matchAny, "all": matchAll}[t.text]) {
			p.fail(t.span, "%s wants a comparison behind it", t.text)
		}
		return n
	case "+":
		p.at++
		return p.expression(signLevel)
	case "-":
		p.at++
		n := p.expression(signLevel)
		return &node{op: opMinus, args: []*node{n}, span: span{t.start, n.end}}
	case "(", "{":
		p.at++
		n := p.expression(0)
		p.expect(map[string]string{"(": ")", "{": "}"}[t.text], t.span)
		return p.postfix(n)
	}
	return p.unexpected()
}

// quantify sets the match of the relations of a chain. It returns false if n is
// none. That no value is in a set is so for all.
func (n *node) quantify(m match) bool {
	switch n.op {
	case opCompare, opContains, opMatches, opIn:
		n.match = m
		return true
	case opNot:
		return n.text == "in"
	case opAnd:
		for _, a := range n.args {
			if !a.quantify(m) {
				return false
			}
		}
		return true
	}
	return false
}

// atom parses a field, a value or a function.
func (p *parser) atom() *node {
	t := p.token()
	if t.kind == endToken || t.kind == rangeToken {
		return p.unexpected()
	}
	p.at++
	n := &node{text: t.text, span: t.span}
	switch t.kind {
	case textToken:
		n.op = opText
	case charToken:
		n.op = opChar
	case wordToken:
		switch {
		case p.token().is("("):
			return p.call(n)
		case field.Lookup(t.text) != nil:
			n.op = opField
		default:
			n.op = opWord
		}
	}
	return n
}

// call parses the arguments of a function.
func (p *parser) call(n *node) *node {
	n.op = opCall
	opened := p.take().span
	for !p.token().is(")") {
		n.args = append(n.args, p.expression(bitLevel))
		if !p.accept(",") {
			break
		}
	}
	n.end = p.token().end
	p.expect(")", opened)
	return n
}

// postfix parses the slices and the layers behind n.
func (p *parser) postfix(n *node) *node {
	for {
		t := p.token()
		op := opSlice
		switch {
		case t.is("#"):
			op = opLayer
			p.at++
			if t = p.token(); t.kind != rangeToken && t.kind != wordToken {
				return p.unexpected()
			}
		case t.kind != rangeToken:
			return n
		}
		p.at++
		n = &node{op: op, args: []*node{n}, ranges: p.ranges(t), span: span{n.start, t.end}}
	}
}
