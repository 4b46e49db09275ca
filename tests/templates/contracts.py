"""A small type checker for templates: it checks the names and attributes that they use against dataclasses.

It supports the part of Jinja that our templates use, with loops, assignments and includes. Where it can't infer a type,
it reports nothing.
"""

import dataclasses
import dis
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from jinja2 import Environment, nodes
from pydantic import BaseModel

from pbem.messages.views import View
from pbem.storage.payloads import News, Payload, Said, Section, kinds

Scope = dict[str, Any]
"""The types of the variables of a template."""
BUILT_IN = frozenset({"range", "dict", "loop", "caller", "varargs"})


class Checker:
    """Checks templates of one environment."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.wrong: list[str] = []
        """The errors: a template, and an unknown name or attribute."""
        self._template = ""

    def check(self, template: str, scope: Mapping[str, Any]) -> None:
        """Check a template, and those that it includes or extends, with variables of the given types."""
        before, self._template = self._template, template
        source = self._environment.loader.get_source(self._environment, template)[0]  # type: ignore[union-attr]
        self._body(self._environment.parse(source).body, dict(scope))
        self._template = before

    def _body(self, body: list[nodes.Node], scope: Scope) -> None:
        scope.update({node.name: Any for node in body if isinstance(node, nodes.Macro)})
        for node in body:
            self._statement(node, scope)

    def _statement(self, node: nodes.Node, scope: Scope) -> None:
        match node:
            case nodes.For():
                inner = scope | {"loop": Any}
                self._bind(node.target, _element(self._type(node.iter, scope)), inner)
                if node.test:
                    self._type(node.test, inner)
                self._body(node.body, inner)
                self._body(node.else_, scope)
            case nodes.If():
                self._type(node.test, scope)
                for part in (node.body, node.elif_, node.else_):
                    self._body(part, scope)  # an assignment in a branch is visible after it
            case nodes.Assign():
                self._bind(node.target, self._type(node.node, scope), scope)
            case nodes.AssignBlock():
                self._body(node.body, scope)
                self._bind(node.target, Any, scope)
            case nodes.Include() | nodes.Extends():
                if isinstance(node.template, nodes.Const):
                    self.check(node.template.value, scope)
                else:
                    self._type(node.template, scope)
            case nodes.CallBlock():
                self._type(node.call, scope)
                self._body(node.body, scope)
            case nodes.Import():
                scope[node.target] = Any
            case nodes.FromImport():
                scope.update({name if isinstance(name, str) else name[1]: Any for name in node.names})
            case nodes.Macro():
                names = [argument.name for argument in node.args]
                self._body(node.body, scope | {name: View if name == "m" else Any for name in names})
            case nodes.Block():
                self._body(node.body, scope)
            case nodes.Expr():
                self._type(node.node, scope)
            case _:
                for child in node.iter_child_nodes():
                    self._type(child, scope)

    def _bind(self, target: nodes.Node, kind: Any, scope: Scope) -> None:
        if isinstance(target, nodes.Name):
            scope[target.name] = kind
        else:
            scope.update({name.name: Any for name in target.find_all(nodes.Name)})

    def _type(self, node: nodes.Node, scope: Scope) -> Any:
        """Return the type of an expression."""
        match node:
            case nodes.Name():
                if node.name not in scope and node.name not in BUILT_IN:
                    self._report(node.name)
                return scope.get(node.name, Any)
            case nodes.Getattr():
                return self._attribute(self._type(node.node, scope), node.attr)
            case nodes.Getitem():
                base = self._type(node.node, scope)
                self._type(node.arg, scope)
                return base if isinstance(node.arg, nodes.Slice) else _element(base)
            case nodes.Call():
                called = self._type(node.node, scope)
                for child in (*node.args, *node.kwargs):
                    self._type(child, scope)
                return View if called is View else Any
        for child in node.iter_child_nodes():
            self._type(child, scope)
        return Any

    def _attribute(self, base: Any, name: str) -> Any:
        found = [_attributes(kind).get(name) for kind in _members(base)]
        known = [kind for kind in found if kind is not None]
        if not known:
            self._report(f"{getattr(base, '__name__', base)}.{name}")
            return Any
        return known[0] if len(known) == 1 else Union[tuple(known)]  # noqa: UP007 - built at run time

    def _report(self, what: str) -> None:
        self.wrong.append(f"{self._template}: {what}")


class _Anything(dict[str, Any]):
    """The attributes of an unknown type: any name."""

    def get(self, key: str, default: Any = None) -> Any:
        """Return Any."""
        return Any


def _members(kind: Any) -> Iterator[Any]:
    """Yield the types of a union, or the one type."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if kind in (Said, Payload, News, Section):
        yield from kinds(kind).values()
    elif isinstance(kind, type) or get_origin(kind) in (tuple, dict):
        yield kind
    elif args := [each for each in get_args(kind) if each is not type(None)]:
        for each in args:
            yield from _members(each)
    else:
        yield kind


def _attributes(kind: Any) -> dict[str, Any]:
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        methods = {name: Any for name in dir(kind) if not name.startswith("_")}
        return methods | hints
    if kind is View:
        code = View.__init__.__code__
        return dict.fromkeys(dir(View), Any) | {
            instruction.argval: Any for instruction in dis.get_instructions(code) if instruction.opname == "STORE_ATTR"
        }
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return dict.fromkeys((*dir(kind), *kind.model_fields), Any)
    return _Anything()


def _element(kind: Any) -> Any:
    """Return the type of the elements of that type."""
    for member in _members(kind):
        if get_origin(member) is tuple:
            return get_args(member)[0]
    return Any
