"""Immutable value types, made faster than :func:`dataclasses.dataclass` makes them.

A command imports hundreds of them. The standard library compiles six functions for each, for which
a short command would wait; here only the constructor is compiled, when it is first called, and the
other methods are shared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

C = TypeVar("C", bound=type)


@overload
def frozen(cls: C, /) -> C: ...


@overload
def frozen(*, kw_only: bool = True) -> Callable[[C], C]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(cls: type | None = None, /, *, kw_only: bool = True) -> Any:
    """A dataclass that is frozen, has slots, and whose fields are given by name.

    Equal values have equal fields, without those that ``field`` excludes. Methods that the class
    defines itself stay. All functions of :mod:`dataclasses` accept it.
    """
    return _made(cls, kw_only) if cls is not None else lambda given: _made(given, kw_only)


def _made(given: type, kw_only: bool) -> type:
    cls: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(given)
    own = fields(cls)
    _add(cls, __init__=_constructor(cls), __repr__=_shown, __setattr__=_refuse)
    _add(cls, __delattr__=_refuse, __getstate__=_state, __setstate__=_restore)
    compared = [one.name for one in own if one.compare]
    key: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda _: ()

    def equal(self: object, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    _add(cls, __eq__=equal)
    if cls.__dict__.get("__hash__") is None:  # none is what a class with ``__eq__`` has
        cls.__hash__ = lambda self: hash(key(self))
    made: type = cls
    return made


def _add(cls: type, **methods: Callable[..., Any]) -> None:
    """Set the methods that the class does not define."""
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)


def _constructor(cls: Any) -> Callable[..., None]:
    """A constructor that replaces itself by the compiled one when it is first called."""

    def __init__(self: object, /, *given: Any, **named: Any) -> None:  # noqa: N807 - as it is set
        if cls.__init__ is __init__:  # otherwise another thread was faster
            cls.__init__ = _compiled(cls, fields(cls))
        cls.__init__(self, *given, **named)

    return __init__


def _compiled(cls: type, own: tuple[Field[Any], ...]) -> Callable[..., None]:
    scope: dict[str, Any] = {"MISSING": MISSING}
    named: list[str] = []
    placed: list[str] = []
    lines: list[str] = []
    for one in own:
        name, value = one.name, one.name
        scope[f"set_{name}"] = getattr(cls, name).__set__
        parameter = name
        if one.default is not MISSING:
            scope[f"default_{name}"] = one.default
            parameter = f"{name}=default_{name}"
        elif one.default_factory is not MISSING:
            scope[f"default_{name}"] = one.default_factory
            parameter = f"{name}=MISSING"
            value = f"default_{name}() if {name} is MISSING else {name}"
        (named if one.kw_only else placed).append(parameter)
        lines.append(f"set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join(["self", *placed, *(["*", *named] if named else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), scope)  # noqa: S102 - names of fields
    made: Callable[..., None] = scope["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _shown(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, *_: object) -> NoReturn:
    del self
    raise FrozenInstanceError(f"field {name!r} cannot be changed")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
