"""Declarations of C and C++ headers: what others may use, with its signature."""

from __future__ import annotations

from digest.facts.syntax import c_family
from digest.facts.syntax.grammar import parse

HEADER = """\
#ifndef A_H
#define A_H
#define LIMIT 8
#define SQUARE(x) ((x)*(x))
namespace eng {
namespace detail { void hidden(); }
namespace core {
class Pool : public Base {
  int secret();
 public:
  explicit Pool(int size = 4);
  ~Pool();
  template <typename T> T* get(const std::string& name, T first) const;
  int size_;
 private:
  void inner();
};
struct Options { int a; void reset(); };
struct Forward;
enum class Mode { A, B };
union U { int i; void u(); };
class _Hidden { public: void f(); };
struct impl { void g(); };
using Name = std::string;
extern "C" { int c_call(void* p); }
__global__ void __launch_bounds__(256, 2) kernel(float* x, int n);
static inline int& ref(int a[3]);
int value = 3;
void (*callback)(int);
}  // namespace core
}
#ifdef X
int conditional();
#else
int otherwise(int, ...);
#endif
void _private();
#endif
"""
DECLARED = [
    "macro LIMIT",
    "macro SQUARE",
    "class eng::core::Pool(public Base)",
    "method eng::core::Pool::Pool(int size = 4)",
    "method eng::core::Pool::~Pool()",
    "method eng::core::Pool::get(const std::string& name, T first) -> T",
    "struct eng::core::Options",
    "method eng::core::Options::reset() -> void",
    "enum eng::core::Mode",
    "union eng::core::U",
    "method eng::core::U::u() -> void",
    "struct eng::core::impl",
    "type eng::core::Name",
    "function eng::core::c_call(void* p) -> int",
    "function eng::core::kernel(float* x, int n) -> void",
    "function eng::core::ref(int a[3]) -> int",
    "function conditional() -> int",
    "function otherwise(int, ...) -> int",
]


def declared(path: str, text: str = HEADER):
    source = c_family.without_attributes(text)
    assert len(source) == len(text)
    return list(c_family.declarations(parse(source, "cpp").root_node, path))


def test_header_declares_what_others_may_use():
    told = [f"{one.kind} {one.name}{one.read().text}" for one in declared("a.h")]
    assert told == DECLARED


def test_constant_of_a_type_has_no_default_that_callers_get():
    text = 'struct Fun {\n  static constexpr const char *Args = "a,b";\n  int size = 4;\n};\n'
    fields = [(d.name, d.value) for d in declared("include/a.hpp", text) if d.kind == "field"]
    assert fields == [("Fun.Args", None), ("Fun.size", "4")]


def test_parameters_have_names_types_and_defaults_wherever_they_stand():
    (one,) = declared("a.hpp", "void run(const char* name, int = 3, int rows[2], T&& all);\n")
    assert [(p.name, p.annotation, p.default) for p in one.read().parameters] == [
        ("name", "const char*", None),
        ("_1", "int", "3"),
        ("rows", "int [2]", None),
        ("all", "T&&", None),
    ]


def test_heads_end_with_their_parameters():
    (one,) = declared("a.h", "\ninline int run(int a,\n               int b)\n{\n  return a;\n}\n")
    assert (one.head, one.parent) == (2, "")


def test_sources_declare_nothing_for_others():
    for path in ("a.c", "a.cc", "a.cu", "h"):
        assert declared(path) == []
    assert {len(declared(path)) for path in ("a.hh", "a.cuh", "a.inl", "a.tpp")} == {len(DECLARED)}
