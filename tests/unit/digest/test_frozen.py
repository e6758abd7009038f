import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace

import pytest
from pydantic import TypeAdapter

from digest.frozen import frozen


@frozen
class Point:
    """A place."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False)


@frozen(kw_only=False)
class Pair:
    one: str
    other: str = "b"


@frozen
class Named(Point):
    name: str = ""

    def __repr__(self) -> str:
        return self.name


@frozen
class Checked:
    n: int

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ValueError("negative")


@frozen
class Nothing:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False)


def test_constructor_is_compiled_when_it_is_first_called():
    @frozen
    class Fresh:
        x: int

    @frozen
    class Derived(Fresh):
        y: int

    waiting = Fresh.__init__
    with pytest.raises(
        TypeError, match=r"Fresh.__init__\(\) got an unexpected keyword argument 'y'"
    ):
        Fresh(x=1, y=2)
    compiled = Fresh.__init__
    assert compiled is not waiting
    assert (Derived(x=1, y=2).y, Fresh(x=3).x) == (2, 3)

    later = object.__new__(Fresh)
    waiting(later, x=4)  # as a thread calls it that looked it up before
    assert (later.x, Fresh.__init__) == (4, compiled)


def test_constructor_has_defaults_and_names_as_a_dataclass():
    assert (Point(x=1).x, Point(x=1).y, Point(x=1).names) == (1, 2, [])
    assert Point(x=1).names is not Point(x=1).names
    assert Pair("a") == Pair(one="a", other="b")
    for wrong in (lambda: Point(1), Point, lambda: Point(x=1, z=2)):
        with pytest.raises(TypeError, match="__init__"):
            wrong()


def test_values_with_equal_fields_are_equal_and_hash_alike():
    assert Pair("a") == Pair("a") != Pair("b")
    assert len({Pair("a"), Pair("a"), Pair("b")}) == 2
    assert Point(x=1, note="a") == Point(x=1, note="b")
    assert Point(x=1) != Named(x=1)
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


def test_values_do_not_change():
    for change in (
        lambda: setattr(Point(x=1), "x", 2),
        lambda: setattr(Point(x=1), "z", 2),
        lambda: delattr(Point(x=1), "x"),
    ):
        with pytest.raises(FrozenInstanceError):
            change()


def test_subclasses_have_the_fields_of_their_base_and_keep_their_own_methods():
    assert [one.name for one in fields(Named)] == ["x", "y", "names", "note", "name"]
    assert repr(Named(x=1, name="n")) == "n"
    assert not hasattr(Named(x=1), "__dict__")
    with pytest.raises(ValueError, match="negative"):
        Checked(n=-1)


def test_it_is_shown_copied_stored_and_read_like_a_dataclass():
    point, other = Point(x=1, names=["a"], note="n"), Other(x=1, names=["a"], note="n")
    assert repr(point) == repr(other).replace("Other", "Point")
    assert asdict(point) == asdict(other)
    assert replace(point, x=3) == Point(x=3, names=["a"])
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    adapter = TypeAdapter(Point)
    assert adapter.validate_json(adapter.dump_json(point)) == point
    assert adapter.dump_python(point) == TypeAdapter(Other).dump_python(other)
