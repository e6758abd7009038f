"""One file, every mistake named in one line."""

from __future__ import annotations

import json
import tempfile
from datetime import datetime, time, timedelta
from pathlib import Path
from textwrap import dedent
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from bot import platforms
from bot.config.channel_section import ChannelConfig, Promise, Quiet, ScheduleConfig
from bot.config.file_model import AdminSettings, ArchiveSettings, LogSettings, Written
from bot.config.model_section import CapSettings, CapsSettings, ModelConfig, PriceSettings
from bot.config.reader import read
from bot.config.repository_section import RepositoryConfig, ThresholdSettings
from bot.subscriptions.channel_registry import admin_target, open_senders, subscriptions
from bot.util.files import Environment, config_file, data_folder
from bot.util.section import SectionContext, Settings, read_secret
from digest.core.enums import Frequency, Language
from digest.core.facts import FactKind
from digest.core.grade import Level, Thresholds
from digest.errors import InvalidConfig
from digest.grading.policy import GradingRule
from tests.support.channels import targets

EXAMPLE = Path(__file__).parents[4] / "deploy" / "bot.example.toml"

REPOSITORY = '[[repositories]]\nplace = "https://forge.example/acme/engine.git"\n'

TWICE = """
[[channels]]
name = "team (weekly)"
platform = "console"
[[channels]]
name = "team"
platform = "console"
kind = "weekly"
"""

CHANNEL = '[[channels]]\nname = "team"\nplatform = "console"\n'


@pytest.fixture
def write(tmp_path):
    def write(text: str) -> Path:
        file = tmp_path / "digestbot.toml"
        file.write_text(dedent(text), encoding="utf-8")
        return file

    return write


@pytest.fixture
def load(write):
    return lambda text: read(write(text))


def test_the_example_is_valid_and_names_every_key():
    config = read(EXAMPLE)
    assert config.warnings == ()
    text = EXAMPLE.read_text(encoding="utf-8")
    models = (
        *(
            Written,
            LogSettings,
            ArchiveSettings,
            AdminSettings,
            RepositoryConfig,
            ThresholdSettings,
            ChannelConfig,
            ScheduleConfig,
        ),
        *(ModelConfig, PriceSettings, CapsSettings, CapSettings),
    )
    for model in models:
        for key in model.model_fields:
            assert (
                f"{key} = " in text
                or f"[{key}]" in text
                or f"[[{key}]]" in text
                or (f".{key}]" in text or f"[{key}." in text or f".{key}." in text)
            ), key


def test_digests_are_kept_for_ever_or_for_longer_than_they_are_amended(load):
    assert load(REPOSITORY + CHANNEL).archive.keep_digests == 0
    said = "[archive]\nkeep_digests = {}\n" + REPOSITORY + CHANNEL
    assert load(said.format(64)).archive.keep_digests == 64
    with pytest.raises(InvalidConfig, match=r"archive\.keep_digests = 63: at least 64 days"):
        load(said.format(63))


@pytest.mark.parametrize(
    ("table", "key", "least", "most", "step"),
    [
        ("web", "max_body", 1024, 2**30, 1),
        ("web", "max_connections", 1, None, 1),
        ("web", "body_seconds", 0.01, 600, 0.01),
        ("archive", "remember", 8, 3650, 1),
        ("archive", "keep_digests", 0, 36_500, 1),
        ("access", "per_minute", 0, None, 1),
        ("access", "per_hour", 0, None, 1),
        ("forges.github", "installation", 0, None, 1),
        ("repositories.thresholds", "medium", 0, Thresholds().high, 0.01),
        ("repositories.thresholds", "high", Thresholds().medium, 1, 0.01),
        ("channels", "catch_up", 0, 168, 1),
    ],
)
def test_numbers_are_taken_up_to_their_bounds(load, table, key, least, most, step):
    def written(value):
        head = "" if table == "channels" else f"[{table}]\n"
        place = REPOSITORY + f"{head}{key} = {value}\n" + CHANNEL
        return CHANNEL + f"{key} = {value}\n" + REPOSITORY if table == "channels" else place

    load(written(least))
    with pytest.raises(InvalidConfig, match=key):
        load(written(least - step))
    if most is not None:
        load(written(most))
        with pytest.raises(InvalidConfig, match=key):
            load(written(most + step))


@pytest.mark.parametrize(
    ("platform", "account"),
    [
        (
            "discord",
            'url = "https://discord.com/api/webhooks/123456789012345678/aTokenOfManyLetters0123456789"',
        ),
        ("telegram", 'token = "1:a-token"'),
    ],
)
def test_channels_of_some_platforms_may_be_silent(load, platform, account):
    channel = f'[[channels]]\nname = "team"\nplatform = "{platform}"\nsilent = true\n'
    chat = 'chat = "-100"\n' if platform == "telegram" else ""
    config = load(f"{REPOSITORY}[platforms.{platform}]\n{account}\n{channel}{chat}")
    assert config.channels[0].silent


def test_smallest_file_has_defaults(load):
    config = load(REPOSITORY + CHANNEL)
    (repository,), (channel,) = config.repositories, config.channels
    assert repository.name == "acme/engine"
    assert repository.levels is None
    assert (channel.zone.key, channel.time, channel.language) == ("UTC", time(9), Language.EN)
    assert (channel.least, channel.quiet, channel.promise) == (
        Level.HIGH, Quiet.SILENT, Promise.AT_MOST_ONCE,
    )  # fmt: skip
    assert channel.patience == timedelta(hours=24)
    ((spec, least),) = channel.plans
    assert (spec.kind, spec.weekdays, least) == (Frequency.DAILY, frozenset(range(7)), Level.HIGH)
    assert config.watched(channel) == (repository,)


def test_channel_has_a_digest_of_every_kind(load):
    kinds = "".join(f'[[channels.schedules]]\nkind = "{kind}"\n' for kind in Frequency)
    served = subscriptions(load(REPOSITORY + CHANNEL + kinds))
    assert [one.name for one in served] == [
        "team", "team (weekly)", "team (fortnightly)", "team (monthly)", "team (month-end)",
    ]  # fmt: skip
    assert [len(one.spec.weekdays) for one in served] == [7, 1, 1, 7, 7]
    assert [one.spec.kind for one in served] == list(Frequency)


def test_channel_has_a_daily_and_a_weekly_digest_side_by_side(load):
    config = load(
        REPOSITORY
        + CHANNEL
        + """
weekdays = ["tue-fri"]
[[channels.schedules]]
time = "08:00"
[[channels.schedules]]
kind = "weekly"
least = "medium"
"""
    )
    daily, weekly = subscriptions(config)
    assert (daily.name, weekly.name) == ("team", "team (weekly)")
    assert (daily.spec.at, daily.spec.weekdays) == (time(8), frozenset({1, 2, 3, 4}))
    assert (weekly.spec.at, weekly.spec.weekdays) == (time(9), frozenset({1}))
    assert (weekly.spec.kind, weekly.least, daily.least) == (
        Frequency.WEEKLY,
        Level.MEDIUM,
        Level.HIGH,
    )


def test_rest_of_a_channel_is_read_with_its_hours_dates_and_countries(load):
    config = load(
        REPOSITORY
        + CHANNEL
        + """
kind = "weekly"
weekdays = ["fri"]
quiet_hours = ["22:00-07:30", "sat-sun", "wed 12:00-24:00"]
holidays = [2026-05-01, "2026-12-24..2027-01-01", "DE-BY"]
"""
    )
    ((spec, _),) = config.channels[0].plans
    held = {
        "2026-01-23T22:00": True, "2026-01-24T07:29": True, "2026-01-26T07:29": True,
        "2026-01-26T07:30": False, "2026-01-24T12:00": True, "2026-01-21T23:59": True,
        "2026-01-21T11:59": False, "2026-05-01T10:00": True, "2026-12-31T10:00": True,
        "2026-01-06T10:00": True,  # Epiphany, in Bavaria
        "2026-01-07T10:00": False,
    }  # fmt: skip
    assert {at: spec.rest.holds(datetime.fromisoformat(at)) for at in held} == held


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('quiet_hours = ["nine to five"]', "is not a range of hours"),
        ('quiet_hours = "22:00-08:00"', "write a list"),
        ('quiet_hours = ["08:00-10:00"]', "falls in quiet hours"),
        ('holidays = ["XX"]', "no known holidays"),
        ('holidays = ["2026-12-24..2026-12-01"]', "ends before it begins"),
        ('holidays = ["christmas"]', "is not a holiday"),
        ('kind = "weekly"\nweekdays = ["mon", "thu"]', "one weekday"),
        ("[[channels.schedules]]\n[[channels.schedules]]", "one schedule of each kind"),
        ('kind = "daily"\n[[channels.schedules]]', "remove the channel's own"),
        (TWICE, "given twice"),
    ],
)  # fmt: skip
def test_schedules_that_cannot_be_are_refused_by_name(load, lines, complaint):
    start = CHANNEL if "[[channels]]" not in lines else ""
    with pytest.raises(InvalidConfig, match=complaint):
        load(REPOSITORY + start + lines)


@pytest.mark.parametrize(
    ("channel", "chat"), [("team", ("console", "")), ("console:ops", ("console", "ops"))]
)
def test_admin_is_a_channel_or_a_chat_of_a_known_platform(load, channel, chat):
    config = load(f'[admin]\nchannel = "{channel}"\n' + REPOSITORY + CHANNEL)
    assert config.admin == chat
    target = admin_target(config, open_senders(config))
    assert target is not None
    assert target.place == chat


@pytest.mark.parametrize("channel", ["", "tam", "slack:C1"])
def test_admin_that_is_nowhere_is_refused(load, channel):
    with pytest.raises(InvalidConfig, match="is neither a channel"):
        load(f'[admin]\nchannel = "{channel}"\n' + REPOSITORY + CHANNEL)


def test_channel_wins_over_defaults_and_defaults_over_ours(load):
    config = load(
        f"""
        [defaults]
        zone = "Asia/Shanghai"
        language = "zh"
        time = 08:30:00
        {REPOSITORY.replace(chr(10), chr(10) + " " * 8)}
        [[channels]]
        name = "a"
        platform = "console"
        language = "en"
        """
    )
    (channel,) = config.channels
    assert (channel.zone, channel.language, channel.time) == (
        ZoneInfo("Asia/Shanghai"), Language.EN, time(8, 30),
    )  # fmt: skip


def test_relative_paths_begin_at_the_file(load, tmp_path):
    config = load(
        'data = "d"\n[[repositories]]\nplace = "../clone"\n'
        '[platforms.console]\noutput = "posts.txt"\n' + CHANNEL + 'output = "reports"\n'
    )
    assert config.repositories[0].place == str(tmp_path / "../clone")
    assert config.repositories[0].name == "clone"
    assert config.channels[0].output == tmp_path / "reports"
    assert config.platforms["console"].settings.output == tmp_path / "posts.txt"


def test_environment_wins_for_the_data_folder(load, monkeypatch, tmp_path):
    text = f'data = "from-file"\n{REPOSITORY}'
    assert load(text).data == tmp_path / "data"  # the suite sets DIGESTBOT_DATA
    monkeypatch.delenv("DIGESTBOT_DATA")
    assert load(text).data == tmp_path / "from-file"


def test_environment_wins_for_the_log_format(load, monkeypatch):
    monkeypatch.setenv("DIGESTBOT_LOG_FORMAT", "json")
    assert load(f'{REPOSITORY}[logs]\nformat = "human"').logs.format == "json"


def test_database_of_the_file_wins_over_that_of_the_environment(load, monkeypatch):
    monkeypatch.setenv("DIGESTBOT_DATABASE_URL", "postgresql://u@there.example/named")
    assert load(REPOSITORY).database.url.get_secret_value().endswith("/named")
    written = '[database]\nurl = "postgresql://u@here.example/written"\n'
    assert load(REPOSITORY + written).database.url.get_secret_value().endswith("/written")


MODEL = '[model]\nname = "m"\nbase_url = "http://127.0.0.1:9/v1"\n'


def test_model_section_is_read_with_its_key(load, monkeypatch):
    monkeypatch.setenv("DIGESTBOT_MODEL_KEY", "sk-from-the-environment")
    config = load(REPOSITORY + MODEL)
    assert config.model.name == "m"
    assert config.secrets() == ("sk-from-the-environment",)
    assert "sk-from" not in repr(config)


def test_model_of_the_environment_stands_in_for_the_section_alone(load, monkeypatch):
    assert load(REPOSITORY).model is None
    monkeypatch.setenv("DIGESTBOT_MODEL", "other")
    monkeypatch.setenv("DIGESTBOT_MODEL_URL", "http://127.0.0.1:8/v1/")
    assert load(REPOSITORY).model.name == "other"
    assert load(REPOSITORY).model.base_url == "http://127.0.0.1:8/v1"
    assert load(REPOSITORY + MODEL).model.name == "m"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MODEL + "contxt = 1", "unknown key model.contxt; did you mean 'context'"),
        ("[model]\ncontext = 4096", "model.name is missing"),
        (MODEL + 'key = "sk-secret"\nkey_file = "f"', "both key and key_file are given"),
        (MODEL + "[model.caps.day]\ntokens = -1", "model.caps.day.tokens = -1"),
        ("", "privacy = 'secret'"),
    ],
)
def test_mistakes_about_the_model_are_named(load, text, said):
    repository = REPOSITORY + ("" if text else 'privacy = "secret"\n')
    with pytest.raises(InvalidConfig, match=said.replace("[", r"\[")) as raised:
        load(repository + text)
    assert "sk-secret" not in str(raised.value)


def test_mistakes_in_the_environment_are_named(load, monkeypatch):
    monkeypatch.setenv("DIGESTBOT_MODEL_URL", "http://127.0.0.1:8/v1")
    with pytest.raises(InvalidConfig, match="DIGESTBOT_MODEL is not; name the model"):
        load(REPOSITORY)
    monkeypatch.setenv("DIGESTBOT_MODEL", "m")
    monkeypatch.setenv("DIGESTBOT_MODEL_URL", "nowhere")
    with pytest.raises(InvalidConfig, match=r"the environment: model.base_url = 'nowhere'"):
        load(REPOSITORY)


def test_config_file_is_looked_for_here_and_in_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert config_file() == data_folder() / "digestbot.toml"
    Path("digestbot.toml").touch()
    assert config_file() == Path("digestbot.toml")
    monkeypatch.setenv("DIGESTBOT_CONFIG", "/etc/digestbot.toml")
    assert config_file() == Path("/etc/digestbot.toml")
    assert config_file(Environment(config=Path("x"))) == Path("x")


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("https://forge.example/acme/engine.git", "acme/engine"),
        ("https://forge.example/group/sub/engine/", "sub/engine"),
        ("ssh://git@forge.example:22/acme/engine", "acme/engine"),
        ("git@forge.example:acme/engine.git", "acme/engine"),
        ("/srv/git/engine.git", "engine"),
    ],
)
def test_repository_is_named_by_its_place(load, place, name):
    assert load(f'[[repositories]]\nplace = "{place}"').repositories[0].name == name


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ('["mon-fri"]', "01234"),
        ('["sat-mon"]', "560"),
        ('["sun"]', "6"),
        ('["Sunday", "wednes"]', "26"),
        ('"tue"', "1"),
    ],
)
def test_weekdays_are_names_or_ranges(load, text, days):
    config = load(f"[defaults]\nweekdays = {text}\n{REPOSITORY}{CHANNEL}")
    assert config.channels[0].weekdays == frozenset(map(int, days))


def test_thresholds_and_aliases_reach_the_domain(load):
    config = load(
        f"""{REPOSITORY}
        [repositories.thresholds]
        high = 0.7
        [repositories.aliases]
        MoE = ["fused_moe"]
        """
    )
    assert config.repositories[0].levels == Thresholds(high=0.7)
    assert config.repositories[0].aliases == {"moe": ("fused_moe",)}


MISTAKES = [
    (REPOSITORY + "brnch = 'x'", "unknown key repositories[#1].brnch; did you mean 'branch'?"),
    ("dta = 'x'", "unknown key dta; did you mean 'data'?"),
    ("[[repositories]]\nplce = '.'",
     "unknown key repositories[#1].plce; did you mean 'place'? (and 1 more)"),
    (REPOSITORY + CHANNEL + "tiem = '9'", "unknown key channels['team'].tiem; did you mean 'time'?"),
    (REPOSITORY + "[repositories.thresholds]\nhgh = 1",
     "unknown key repositories[#1].thresholds.hgh; did you mean 'high'?"),
    (REPOSITORY + "[platforms.console]\nwdth = 1",
     "unknown key platforms.console.wdth; did you mean 'width'?"),
    (REPOSITORY + "zzz = 1",
     ("unknown key repositories[#1].zzz; known here: aliases, branch, branches, descriptions, forge, name, place, "
     "privacy, thresholds, visibility, web")),
    (REPOSITORY + CHANNEL + "time = '25:00'",
     ("channels['team'].time = '25:00': write hours and minutes from 00:00 to 23:59, "
     "such as '09:00'")),
    (REPOSITORY + CHANNEL + "language = 'de'",
     "channels['team'].language = 'de': it should be 'en' or 'zh'"),
    (REPOSITORY + CHANNEL + "zone = 'Europe/Berln'",
     ("channels['team'].zone = 'Europe/Berln': 'Europe/Berln' is not an IANA time zone; "
            "did you mean 'Europe/Berlin', 'Europe/Dublin', 'Europe/Belfast'?")),
    (REPOSITORY + CHANNEL + "zone = '../../etc/passwd'",
     ("channels['team'].zone = '../../etc/passwd': '../../etc/passwd' is not an IANA time zone; "
            "write one like Europe/Berlin or UTC")),
    (REPOSITORY + "[defaults]\nweekdays = ['funday']",
     ("defaults.weekdays = ['funday']: 'funday' is not a weekday; write mon, tue, wed, thu, fri, "
     "sat, sun or a range like mon-fri")),
    (REPOSITORY + "[defaults]\nweekdays = []",
     "defaults.weekdays = []: write a list of weekdays, such as ['mon', 'wed'] or ['mon-fri']"),
    (REPOSITORY + "[defaults]\ncatch_up = 900",
     "defaults.catch_up = 900: it should be less than or equal to 168"),
    (REPOSITORY + "[repositories.thresholds]\nhigh = 0.1",
     "repositories[#1].thresholds: medium (0.25) is above high (0.1); swap them"),
    (REPOSITORY + "[[channels]]\nplatform = 'console'", "channels[#1].name is missing"),
    (REPOSITORY + CHANNEL + "repositories = ['acme/engin']",
     "channels 'team', repositories: unknown 'acme/engin'; did you mean 'acme/engine'?"),
    (REPOSITORY + CHANNEL.replace("console", "konsole"),
     "channels 'team', platform = 'konsole' is unknown; did you mean 'console'?; known: "
     + ", ".join(platforms.kinds())),
    (REPOSITORY + "[platforms.ops]\nkind = 'pigeon'",
     "platforms.ops.kind = 'pigeon' is unknown; known: " + ", ".join(platforms.kinds())),
    (REPOSITORY + "[platforms.ops]\nkind = 'base'",
     "platforms.ops.kind = 'base' is unknown; known: " + ", ".join(platforms.kinds())),
    (REPOSITORY + CHANNEL + "silent = true",
     "channels 'team', silent = true: console cannot post without a notification; remove it"),
    (REPOSITORY + CHANNEL + CHANNEL, "channels: the name 'team' is given twice"),
    (REPOSITORY + REPOSITORY, "repositories: the name 'acme/engine' is given twice"),
    (CHANNEL, "no [[repositories]]; add at least one with its place"),
    ("[[repositories]]\nplace = '--upload-pack=evil'",
     ("repositories[#1].place = '--upload-pack=evil': write a folder or an address such as "
     "https://host/owner/name")),
    ('[[repositories]]\nplace = "/srv/engine\\n"',
     ("repositories[#1].place = '/srv/engine\\n': write a folder or an address such as "
     "https://host/owner/name")),
    (REPOSITORY + "[access]\npeople = [':12345']",
     "access.people = [':12345']: write each as platform:id, such as telegram:12345"),
    (REPOSITORY + "branch = '-x'",
     ("repositories[#1].branch = '-x': write a branch's name, or leave it out for the default "
     "branch")),
    (REPOSITORY + "branches = ['release/*', '-x']",
     ("repositories[#1].branches = ['release/*', '-x']: write branches by name or pattern, such as "
     "release/*")),
    ("channels = 3", "channels = 3: it should be a valid tuple"),
    (REPOSITORY + "x = ", "is not TOML: Invalid value (at end of document)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), MISTAKES, ids=[line[:40] for _, line in MISTAKES])
def test_mistake_is_named_in_one_line(write, text, line):
    file = write(text)
    with pytest.raises(InvalidConfig) as raised:
        read(file)
    assert str(raised.value) == f"{file}: {line}"
    assert raised.value.exit_status == 2


def test_several_mistakes_are_counted(load):
    with pytest.raises(InvalidConfig, match=r"\(and 1 more\)$"):
        load(REPOSITORY + CHANNEL + "language = 'de'\nleast = 'huge'")


def test_file_that_is_not_there_names_init(tmp_path):
    with pytest.raises(InvalidConfig, match=r"no such file; create one with digestbot init"):
        read(tmp_path / "nothing.toml")


def test_folder_or_binary_in_place_of_the_file_is_refused(tmp_path):
    with pytest.raises(InvalidConfig, match="cannot be read"):
        read(tmp_path)
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidConfig, match="UTF-8"):
        read(tmp_path / "b.toml")


def test_key_with_a_line_end_makes_one_line(load):
    with pytest.raises(InvalidConfig) as raised:
        load(REPOSITORY + '"a\\nb" = 1')
    assert "\n" not in str(raised.value)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3))
def test_no_table_makes_anything_but_a_config_or_one_line(tables):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.toml"
        lines = (f"{json.dumps(key)} = {json.dumps(value)}" for key, value in tables.items())
        file.write_text("\n".join(lines), encoding="utf-8", errors="replace")
        told = ""
        try:
            read(file)
        except InvalidConfig as error:
            told = str(error)
        assert "\n" not in told


async def test_open_senders_opens_every_account(load, tmp_path):
    config = load(
        REPOSITORY
        + f'[platforms.file]\nkind = "console"\noutput = "{tmp_path}/p.txt"\n[platforms.spare]\n'
        + 'kind = "console"\n'
        + CHANNEL.replace('"console"', '"file"')
    )
    senders = open_senders(config)
    assert list(senders) == ["file", "spare"]
    assert targets(config, senders)["team"].sender is senders["file"]
    for sender in senders.values():
        await sender.aclose()


class TestSecrets:
    """Secrets of a platform, as ``Settings`` finds them for any of them."""

    @pytest.fixture
    def model(self):
        class Account(Settings):
            bot_token: SecretStr
            signing: SecretStr | None = None

        return Account

    def read(self, model, data, folder, **environment):
        reading = SectionContext(folder=folder, environment=environment, section="my-slack")
        return model.model_validate(data, context=reading), reading

    def test_fields_of_the_secret_type_are_known(self, model):
        assert model.secret_fields() == ("bot_token", "signing")

    def test_a_file_beside_the_configuration(self, model, tmp_path):
        file = tmp_path / "token"
        file.write_text("xoxb-1\n")
        file.chmod(0o600)
        account, reading = self.read(model, {"bot_token_file": "token"}, tmp_path)
        assert account.bot_token.get_secret_value() == "xoxb-1"
        assert "xoxb" not in repr(account)
        assert reading.warnings == []

    def test_a_file_open_to_others_is_warned_of(self, model, tmp_path):
        file = tmp_path / "token"
        file.write_text("xoxb-1")
        file.chmod(0o644)
        _, reading = self.read(model, {"bot_token_file": "token"}, tmp_path)
        assert reading.warnings == [f"{file} can be read by others; run chmod 600 on it"]

    def test_the_environment_where_the_file_says_nothing(self, model, tmp_path):
        account, _ = self.read(model, {}, tmp_path, DIGESTBOT_MY_SLACK_BOT_TOKEN="xoxb-2")
        assert account.bot_token.get_secret_value() == "xoxb-2"

    def test_the_file_wins_over_the_environment(self, model, tmp_path):
        account, _ = self.read(
            model, {"bot_token": "xoxb-3"}, tmp_path, DIGESTBOT_MY_SLACK_BOT_TOKEN="xoxb-2"
        )
        assert account.bot_token.get_secret_value() == "xoxb-3"

    def test_both_ways_at_once_are_refused(self, model, tmp_path):
        with pytest.raises(ValueError, match="both bot_token and bot_token_file"):
            self.read(model, {"bot_token": "a", "bot_token_file": "b"}, tmp_path)

    @pytest.mark.parametrize("content", [None, "", "  \n"])
    def test_a_file_without_a_secret_is_refused(self, tmp_path, content):
        file = tmp_path / "token"
        if content is not None:
            file.write_text(content)
        with pytest.raises(ValueError, match="the secret's file"):
            read_secret(file, [])


def test_rules_of_grading_are_read(load) -> None:
    config = load("""
        [grading]
        learn = false
        [[grading.rule]]
        path = "deploy/**"
        kind = "flag"
        level = "high"
        [[grading.rule]]
        label = "internal"
        level = "low"
        """)
    first, second = (one.rule for one in config.grading.rule)
    assert not config.grading.learn
    assert first == GradingRule(level=Level.HIGH, path="deploy/**", kind=FactKind.FLAG)
    assert second == GradingRule(level=Level.LOW, label="internal")


@pytest.mark.parametrize(("written", "warned"), [("token", True), ("token_file", False)])
def test_only_a_file_with_secrets_in_it_must_be_closed_to_others(write, written, warned) -> None:
    file = write(f"[platforms.telegram]\n{written} = '123456:{'A' * 35}'\n")
    secret = file.with_name(f"123456:{'A' * 35}")
    secret.write_text(secret.name)
    secret.chmod(0o600)
    file.chmod(0o644)
    assert any("contains secrets" in said for said in read(file).warnings) is warned


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('level = "high"', "select changes with"),
        ('level = "urgent"\npath = "x"', "level"),
        ('level = "low"\nkind = "weather"', "kind"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_named(load, rule: str, said: str) -> None:
    with pytest.raises(InvalidConfig, match=said):
        load(f"[[grading.rule]]\n{rule}\n")


@pytest.mark.parametrize(
    ("repository", "web", "forge"),
    [
        ("https://git.example.org/g/s/n.git", "https://git.example.org/g/s/n", "gitlab"),
        ("git@git.example.org:g/n.git", "https://git.example.org/g/n", "gitlab"),
        ("https://code.example.org:8443/o/n", "https://code.example.org:8443/o/n", "gitea"),
        ("https://other.example.org/o/n", "", ""),
    ],
)
def test_repository_on_a_configured_forge_has_its_links(load, repository, web, forge) -> None:
    config = load(f"""
        [forges.gitlab]
        host = "git.example.org"
        [forges.gitea]
        host = "code.example.org:8443"
        [[repositories]]
        place = "{repository}"
        """)
    (one,) = config.repositories
    assert (one.web, one.forge) == (web, forge)


def test_pages_of_a_known_host_have_its_links(load) -> None:
    config = load("""
        [[repositories]]
        place = "https://mirror.example.org/o/n"
        web = "https://bitbucket.org/o/n"
        """)
    assert config.repositories[0].forge == "bitbucket"
