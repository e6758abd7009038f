import pytest

from digest.core.facts import Action, FactKind
from digest.facts.security import find, find_in_message
from digest.facts.subject import read_subject
from tests.unit.digest.facts.changes import facts_of, scene, told


def added(path, text):
    return told(find(scene(path, "", text)))


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", "x = pickle.loads(data)\n", "pickle.loads"),
        ("a.py", "x = yaml.load(\n    f,\n)\n", "yaml.load"),
        ("a.py", "y = eval(text)\n", "eval"),
        ("a.py", "run(cmd, shell=True)\n", "shell=True"),
        ("a.py", "get(url, verify=False)\n", "verify=False"),
        ("a.py", "load(x, trust_remote_code=True)\n", "trust_remote_code=True"),
        ("a.py", "h = md5(password.encode())\n", "password hashed by md5 or sha1"),
        ("a.rs", "    unsafe { go() }\n", "unsafe"),
        ("a.go", "c := tls.Config{InsecureSkipVerify: true}\n", "InsecureSkipVerify: true"),
        ("a.js", "el.innerHTML = text\n", ".innerHTML"),
        ("a.c", "strcpy(a, b);\n", "strcpy"),
        ("A.java", "new ObjectInputStream(in)\n", "ObjectInputStream"),
        ("setup.cfg", "key = AKIAABCDEFGHIJKLMNOP\n", "AWS access key"),
        ("a.pem", "-----BEGIN RSA PRIVATE KEY-----\n", "private key"),
    ],
)
def test_sensitive_construct_is_named(path, text, name):
    assert added(path, text) == [f"added {name} @1n"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# never use pickle.loads(data)\n"),
        ("a.py", "x = yaml.load(f, Loader=yaml.SafeLoader)\n"),
        ("a.py", "x = yaml.load(\n    f,\n    Loader=SafeLoader,\n)\n"),
        ("a.py", "model.eval()\n"),
        ("a.py", "def eval(self):\n"),
        ("a.py", "text = 'see `eval(x)`'\n"),
        ("a.py", "np.load(x, allow_pickle=False)\n"),
        ("a.rs", "// unsafe { }\n"),
        ("a.cpp", "file.system(1); ns::system(2);\n"),
        ("tests/test_a.py", "pickle.loads(x)\n"),
        ("docs/a.md", "Use `eval(x)`\n"),
        ("third_party/a.py", "x\n"),
    ],
)
def test_harmless_lines_yield_nothing(path, text):
    assert added(path, text) == []


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("fix: 修复搜索接口的SQL注入", ["SQL注入"]),
        ("修复文件下载的路径穿越问题", ["路径穿越"]),
        ("禁止普通用户越权删除任务", ["越权"]),
        ("升级依赖，修复高危漏洞", ["漏洞"]),
        ("修复日志中密码泄露", ["密码泄露"]),
        ("修复线程安全问题", []),
        ("支持依赖注入与页脚代码注入", []),
        ("新增某系统的文件读取漏洞检测", []),
        ("增加漏洞扫描", []),
    ],
)
def test_weaknesses_that_chinese_titles_name(title, names):
    assert [f.name for f in find_in_message(title, read_subject(title))] == names


def test_advisory_that_a_change_only_sets_aside_is_no_fact():
    title = "ignore RUSTSEC-2026-0173 (unmaintained)"
    assert list(find_in_message(title, read_subject(title))) == []


def test_a_secret_never_stands_in_a_fact():
    secret = "ghp_" + "a1B2" * 9
    (fact,) = find(scene("a.py", "", f"token = '{secret}'\n"))
    assert fact.name == "GitHub token"
    assert fact.detail == "credential"
    assert secret not in repr(fact)


def test_as_many_gone_as_come_is_no_fact():
    assert told(find(scene("a.py", "a = pickle.loads(x)\n", "b = pickle.loads(y)\n"))) == []


def test_one_less_is_told_on_the_old_side():
    assert told(find(scene("a.py", "x\na = pickle.loads(x)\n", "x\n"))) == [
        "removed pickle.loads @2o"
    ]


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("Update x to fix CVE-2026-12345", ["changed CVE-2026-12345 @1m"]),
        (
            "Fix\n\nGHSA-aaaa-bbbb-cccc and CVE 2026 1234",
            ["changed GHSA-aaaa-bbbb-cccc @3m", "changed CVE-2026-1234 @3m"],
        ),
        ("Prevent path traversal", ["changed path traversal @1m"]),
        ("Fix docs about pools\n\nThe check of CVE-2015-7577 is described.", []),
        ("Restore --env-file parent directory traversal", []),
        ("Fix a validation bypass of zones", ["changed validation bypass @1m"]),
        ("Check it first (#YWH-ABC6095-27)", ["changed YWH-ABC6095-27 @1m"]),
        ("Harden the reader\n\nThere is no security issue: nothing malicious is read.", []),
        ("Show security advisories of a package", []),
        ("Rank by age, and say of a security fix which release has it", []),
        ("List packages\n\nFixes CVE-2026-12345", ["changed CVE-2026-12345 @3m"]),
        ("Fix SSRF in the loader", ["changed SSRF @1m"]),
        ("walk: stop directory traversal when the context is cancelled", []),
        ("Fix grep\n\nIt follows links that are found during directory traversal.", []),
        ("Prevent directory traversal", ["changed Prevent directory traversal @1m"]),
        ("fix(csrf): exempt OPTIONS request from CSRF validation", []),
        ("Fix a CSRF token bypass", ["changed CSRF @1m"]),
        ("Prevent CSRF of forms", ["changed CSRF @1m"]),
        ("Fix the TOCTOU race for a port", []),
        ("[Security] Limit the size", ["changed security @1m"]),
        ("fix(security): limit the size", ["changed security @1m"]),
        ("feat(security): add a page of roles", []),
        ("Update module x to v1.2.0 [SECURITY] (#12)", ["changed [SECURITY] @1m"]),
        ("Merge commit from fork", ["changed [private fork] @1m"]),
        ("Merge commit from fork\n\n* fix(jsx): quote it", ["changed [private fork] @1m"]),
        ("Merge commits from forks", []),
        ("Render [security] as a badge", []),
        ("Support MS-DOS and dos files", []),
        ("Add dependency injection", []),
        ("Add a setting to control trace header injection", []),
        ("Prevent header injection", ["changed header injection @1m"]),
        ("Fix token leakage in the parser", []),
        ("audit: Add --ignore\n\nIgnores the given vulnerability by its name.", []),
        ("Limit it\n\nThis fixes a vulnerability.", ["changed vulnerability @3m"]),
        ("Scope it\n\n--until-fixed hides a vulnerability, fixed-point or not.", []),
        ("Avoid stack overflow of recursive files", []),
        ("audit: warn about ignored vulnerabilities", []),
        ("Report a vulnerability", ["changed vulnerability @1m"]),
    ],
)
def test_message_names_advisories_and_weaknesses(message, facts):
    assert told(find_in_message(message, read_subject(message.split("\n", 1)[0]))) == facts


def test_weakness_in_the_title_of_a_merged_request_is_in_its_first_line():
    message = "Merge pull request #7 from me/pool\n\nFix out-of-bounds read in pools"
    found = find_in_message(message, read_subject("Fix out-of-bounds read in pools", number=7))
    assert told(found) == ["changed out-of-bounds read @1m"]
    other = find_in_message(f"{message}\n\nNo DoS.", read_subject("Read on", number=7))
    assert told(other) == ["changed out-of-bounds read @3m", "changed DoS @5m"]


def test_words_about_tests_and_docs_alone_are_not_told():
    message = "Document path traversal"
    assert facts_of(message, ("docs/a.md", "a\n", "b\n")).items == ()
    assert told(facts_of(message, ("a.py", "a\n", "b\n")).items) == ["changed path traversal @1m"]


def test_construct_that_a_file_still_has_is_not_removed():
    use = "def {0}(data):\n    return pickle.loads(data)\n\n\n"
    old, new = use.format("read") + use.format("parse"), use.format("read")
    facts = facts_of("Drop parse", ("app/read.py", old, new)).of(FactKind.SECURITY)
    assert [f.name for f in facts] == []
    facts = facts_of("Drop both", ("app/read.py", old, "x = 1\n")).of(FactKind.SECURITY)
    assert [f.action for f in facts] == [Action.REMOVED]
