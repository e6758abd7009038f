import pytest

from digest.core.change import Change
from digest.core.facts import Action, FactKind
from digest.facts import tree_lookup
from digest.facts.schema import find
from tests.unit.digest.facts.changes import commit, facts_of, file, scene, told

PROTO = """\
syntax = "proto3";

message Request {
  string prompt = 1;
  optional int32 limit = 2;
  message Part {
    bytes data = 1;
  }
  oneof kind {
    string a = 7;
  }
}

enum Mode {
  MODE_FAST = 0;
}

service Engine {
  rpc Run(Request) returns (Reply);
}
"""
GRAPHQL = "type User {\n  name: String!\n  age(unit: Unit): Int\n}\n"


@pytest.mark.parametrize(
    ("path", "old", "before", "after", "facts"),
    [
        ("a.proto", PROTO, "int32 limit = 2", "int64 limit = 2", ["changed Request.limit optional int32 = 2 -> optional int64 = 2 @5n"]),
        ("a.proto", PROTO, "string prompt", "string text", ["renamed Request.text Request.prompt -> Request.text @4n"]),
        ("a.proto", PROTO, "    bytes data = 1;\n", "", ["removed Request.Part.data bytes = 1 -> None @7o"]),
        ("a.proto", PROTO, "= 7;\n", "= 7;\n    string b = 8;\n", ["added Request.b None -> string = 8 @11n"]),
        ("a.proto", PROTO, "= 0;\n", "= 0;\n  MODE_SLOW = 1;\n", ["added Mode.MODE_SLOW None -> 1 @16n"]),
        ("a.proto", PROTO, "(Request)", "(stream Request)", ["changed Engine.Run (Request) returns (Reply) -> (stream Request) returns (Reply) @19n"]),
        ("a.proto", PROTO, "enum Mode", "message Reply {\n  string x = 1;\n}\n\nenum Mode", ["added Reply @14n"]),
        ("a.graphql", GRAPHQL, "String!", "String", ["changed User.name String! -> String @2n"]),
        ("a.thrift", "struct S {\n  1: required string a,\n}\n", "string", "i64", ["changed S.a required string = 1 -> required i64 = 1 @2n"]),
        ("a.sql", "select 1;\n", "select 1;\n", "create table if not exists users (id int);\n", ["added users @1n"]),
        ("a.sql", "select 1;\n", "select 1;\n", "ALTER TABLE users ADD x int;\nDROP TABLE old;\n", ["changed users @1n", "removed old @2n"]),
        ("a.py", "x = 1\n", "x = 1", "q = 'CREATE TABLE jobs (id int)'", ["added jobs @1n"]),
        ("a.py", "x = 1\n", "x = 1", "# create table of contents", []),
        ("a.rb", "x = 1\n", "x = 1", '#   ALTER TABLE "jobs" ADD CONSTRAINT a', []),
        ("api/openapi.yaml", "a: 1\nb: 2\n", "b: 2", "b: 3", ["changed openapi.yaml @2n"]),
        ("x.schema.json", "{}\n", "{}", '{"a": 1}', ["changed x.schema.json @1n"]),
        ("tests/a.proto", PROTO, "string prompt", "string text", []),
        ("a.proto", "message A {  // as in {\n  string b = 1;\n}\n\nmessage C {\n  string d = 1;\n}\n", "string d", "int32 d", ["changed C.d string = 1 -> int32 = 1 @6n"]),
    ],
)  # fmt: skip
def test_schema_changes(path, old, before, after, facts):
    assert before in old
    assert told(find(scene(path, old, old.replace(before, after)))) == facts


def test_a_migration_that_comes_is_told_once():
    assert told(find(scene("app/migrations/0002_add_users.py", None, "x = 1\n"))) == [
        "added 0002_add_users @1n"
    ]
    assert find(scene("app/migrations/0002_add_users.py", "x = 1\n", "x = 2\n")) == ()


def test_a_new_file_is_told_by_its_outermost_parts():
    assert told(find(scene("a.proto", None, PROTO, whole=False))) == [
        "added Request @3n",
        "added Mode @14n",
        "added Engine @18n",
        "added Engine.Run None -> (Request) returns (Reply) @19n",
    ]


def test_service_with_all_that_another_had_is_renamed():
    body = (
        " {\n  rpc Run (Request) returns (Reply) {}\n  rpc Stop (Request) returns (Reply) {}\n}\n"
    )
    head = 'syntax = "proto3";\n\n'
    for new, facts in (
        (body, [("renamed", "Inference", "Generate")]),
        (body.replace("Stop", "Halt"), [("removed", "Generate", None)]),
    ):
        items = facts_of(
            "Name it",
            ("p/a.proto", f"{head}service Generate{body}", f"{head}service Inference{new}"),
        ).of(FactKind.SCHEMA, Action.REMOVED, Action.RENAMED)
        told = [(f.action.value, f.name, f.before) for f in items if f.detail == "service"]
        assert told == facts


def test_a_pipeline_is_no_schema() -> None:
    path = ".github/workflows/update-config-schema.yml"
    file = (path, "on: push\nuses: a/b@v8\n", "on: push\nuses: a/b@v9\n")
    assert facts_of("Update it", file).of(FactKind.SCHEMA) == ()


def test_word_before_the_computed_name_of_a_table_is_no_table() -> None:
    old = 'conn.execute(&format!("DROP TABLE IF EXISTS {TABLE}"), [])\n'
    assert facts_of("Lock it", ("src/db.rs", old, "run()\n")).of(FactKind.SCHEMA) == ()


VALUES = """\
# Default values
replicaCount: 1
image:
  tag: "1.2"
service:
  type: ClusterIP  # in the cluster
  port: 80
  annotations: {}
env:
  - name: A
    value: b
script: |
  port: 3
  go: 1
persistence:
  enabled: false
  size: 8Gi
"""
TEMPLATE = "a: {{ .Values.service.port }}\nb: {{ .Values.persistence.size }}\n"


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("replicaCount: 1", "replicaCount: 2", ["changed replicaCount 1 -> 2"]),
        ("  port: 80\n", "", ["removed service.port 80 -> None"]),
        ("persistence:\n  enabled: false\n  size: 8Gi\n", "", ["removed persistence None -> None"]),
        ("  size: 8Gi\n", "  # size: 8Gi\n", []),
        ('"1.2"', '"1.3"', []),
        ("  go: 1\n", "", []),
        ("value: b", "value: c", []),
        ("  type: ClusterIP  # in the cluster\n", "", []),  # no template stopped reading it
        ("80\n", "80\n  portName: web\n", ["added service.portName None -> web"]),
    ],
)
def test_values_of_a_helm_chart(old: str, new: str, facts: list[str]) -> None:
    assert old in VALUES
    found = facts_of(
        "Change things",
        ("charts/shop/values.yaml", VALUES, VALUES.replace(old, new)),
        ("charts/shop/templates/shop.yaml", TEMPLATE, "a: 1\n"),
    ).of(FactKind.CONFIG)
    assert [f"{f.action} {f.name} {f.before} -> {f.after}" for f in found] == facts


def test_a_value_that_a_template_still_reads_is_not_removed() -> None:
    path = "charts/shop/values.yaml"
    files = (
        (path, VALUES, VALUES.replace("  port: 80\n", "")),
        ("charts/shop/templates/shop.yaml", TEMPLATE, "a: 1\n"),
    )
    facts = facts_of("Change things", *files)
    change = Change(commit=commit("Change things"), files=tuple(file(*one) for one in files))
    asked = tree_lookup.questions(change, facts)
    place = (change.sha, "charts/shop/templates/_helpers.tpl")
    texts = {place: "{{ .Values.service.port }}\n"}
    where = {question.index: [place] for question in asked}
    assert not tree_lookup.apply_lookup(facts, asked, where, texts).of(FactKind.CONFIG)


def test_table_that_is_created_in_several_lines_stays() -> None:
    old = "create table if not exists pages\n(\n  id int\n);\n"
    new = "CREATE\n  TABLE\n    IF NOT EXISTS pages(\n      id INT\n    );\n"
    assert not facts_of("Format it", ("db/schema.sql", old, new)).of(FactKind.SCHEMA)
    assert facts_of("Drop it", ("db/schema.sql", old, "\n")).of(FactKind.SCHEMA)


def test_temporary_table_is_no_schema() -> None:
    old = "def scan(db):\n    db.run('CREATE TEMP TABLE hits (id INT)')\n"
    facts = facts_of("Drop it", ("db/pool.py", old, "def scan(db):\n    db.read()\n"))
    assert not facts.of(FactKind.SCHEMA)


def test_struct_of_rust_with_the_name_of_another_one_did_not_move_there() -> None:
    old = "pub struct Slot {\n    pub id: u32,\n}\npub struct Page;\n"
    facts = facts_of("Drop it", ("pool/src/lib.rs", old, "pub struct Page;\n"))
    change = Change(
        commit=commit("Drop it"), files=(file("pool/src/lib.rs", old, "pub struct Page;\n"),)
    )
    asked = tree_lookup.questions(change, facts)
    place = (change.sha, "heap/src/lib.rs")
    where = {question.index: [place] for question in asked}
    told = tree_lookup.apply_lookup(facts, asked, where, {place: "pub struct Slot(u8);\n"})
    assert [f.name for f in told.of(FactKind.SYMBOL, Action.REMOVED)] == ["Slot"]
