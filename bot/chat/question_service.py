"""Answers questions for a chat: checks access, chooses the repository, calls the use cases.

A message that fails the access check is not even acknowledged. An answer changes the conversation
only once it is posted: a process may die in between, and the question answered again must find
everything as it was, or "more" would skip a page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from bot.access.gate import AccessGate, refusal
from bot.chat.repository_choice import ChannelsByChat, which
from bot.chat.responder import AnswerProgress, line
from bot.messaging.receiver import Incoming
from bot.messaging.sender import CHAIN
from bot.scheduler.schedule import next_run
from bot.store.analyses import SqlCalls
from bot.store.feedback import ReaderVerdict, SqlFeedback, opinion_of
from bot.subscriptions.channel_registry import Subscription
from bot.workspace.workspace import Usages, Workspace
from digest import errors
from digest.answer.answers import Answer
from digest.answer.buttons import OF_CHANGE, OF_DIGEST, answer_buttons, with_buttons
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.document import Document
from digest.frozen import frozen
from digest.i18n.chat_text import NOT_KNOWN, NOTED_USEFUL, NOTED_USELESS, UNREADABLE
from digest.question.lexicon import language_of
from handlers.context import Context
from handlers.ports.chat_port import ConversationKey, Conversations, Look, Talk
from handlers.ports.status_port import BotStatus, Budget, ScheduledRun
from handlers.ports.storage import Archive, Clock
from handlers.router import ask

if TYPE_CHECKING:
    from bot.access.gate import AccessDecision as Admission
    from bot.config.channel_section import ChannelConfig, Preferences
    from bot.config.reader import Config
    from bot.config.repository_section import RepositoryConfig
    from bot.subscriptions.chat_subscriptions import Subscribing

After = Callable[[Callable[[], Awaitable[None]]], None]
"""Defers an effect until the answer is posted."""


@frozen
class DeferredWrites:
    """The ``Conversations`` of one message: reads at once, writes after the answer."""

    # The state of the conversation is read once, however many repositories are asked.

    kept: Conversations
    after: After
    thread: Callable[[], str] = str  # that the answer started, if it did; a slash command has none
    _said: dict[ConversationKey, Talk | None] = field(default_factory=dict, init=False, repr=False)

    async def talk(self, key: ConversationKey, now: datetime) -> Talk | None:
        """The state of the conversation before this message."""
        if key not in self._said:
            self._said[key] = await _talk_of(self.kept, key, now)
        return self._said[key]

    async def keep(self, key: ConversationKey, talk: Talk) -> None:
        """Save the state of the conversation once the answer is posted."""
        self.after(partial(self._keep, key, talk))

    async def _keep(self, key: ConversationKey, talk: Talk) -> None:
        begun = self.thread()
        # A reply to an earlier answer continues from that answer, whatever followed it.
        asked = "" if key.thread.startswith(CHAIN) else key.thread
        for thread in dict.fromkeys((asked, begun or asked)):
            await self.kept.keep(replace(key, thread=thread), talk)

    async def last_look(self, key: ConversationKey, repository: Repository) -> Look | None:
        """What the person last looked at."""
        return await self.kept.last_look(key, repository)

    async def looked(self, key: ConversationKey, repository: Repository, look: Look) -> None:
        """Save what the person looked at once the answer is posted."""
        self.after(partial(self.kept.looked, key, repository, look))

    async def forget(self, key: ConversationKey) -> None:
        """Forget the conversation."""
        await self.kept.forget(key)


async def _talk_of(
    conversations: Conversations, key: ConversationKey, now: datetime
) -> Talk | None:
    """The state of a conversation; for an unknown chain of replies, that of the chat."""
    found = await conversations.talk(key, now)
    if found is None and key.thread.startswith(CHAIN):
        return await conversations.talk(replace(key, thread=""), now)
    return found


@frozen
class ChatStatus:
    """The status as one chat may see it: its own runs (``mine``), and the model cost of all."""

    app: Workspace
    served: Subscribing
    mine: Callable[[Subscription], bool]

    async def standing(self) -> BotStatus:
        """The runs of the chat, the number of its waiting digests, and the budget."""
        now = self.app.clock.now()
        posts = [
            subscription
            for subscription in await self.served.subscriptions()
            if self.mine(subscription)
        ]
        names = {post.name for post in posts}
        waiting = [r for r in await self.app.ledger.pending() if r.key.channel in names]
        return BotStatus(
            runs=[await self._run(one, now) for one in posts],
            waiting=len(waiting),
            budget=await self._budget(now),
        )

    async def _run(self, one: Subscription, now: datetime) -> ScheduledRun:
        last = await self.app.ledger.last_slot(one.name)
        return ScheduledRun(channel=one.name, last=last or "", next=next_run(one.spec, now))

    async def _budget(self, now: datetime) -> Budget | None:
        if self.app.runtime is None:
            return None
        config = self.app.runtime.config
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        currency = config.price.currency
        took = await SqlCalls(self.app.database, currency).spent(midnight)
        return Budget(spent=took.cost, currency=currency, most=config.caps.day.money)


READER = 120.0  # the most seconds that an asker in a chat waits for a model
_VERDICTS = frozenset(ReaderVerdict)

_OF_THIS_MACHINE = (
    errors.NotARepository,
    errors.SourceUnavailable,
    errors.UnwritableFolder,
    errors.NewerArchive,
    errors.BrokenArchive,
    errors.UnreachableDatabase,
)
"""Errors that nobody in a chat can fix, and whose texts name folders and hosts."""

log = structlog.get_logger(__name__)


@frozen
class _Asked:
    account: str
    incoming: Incoming
    admission: Admission
    channel: ChannelConfig | None
    preferences: Preferences
    repositories: Sequence[RepositoryConfig]


class QuestionService:
    """Answers about the repositories of a chat, in its channel's zone and language."""

    def __init__(
        self,
        app: Workspace,
        config: Config,
        gate: AccessGate,
        subscribing: Subscribing | None = None,
    ) -> None:
        """Without ``subscribing`` nothing can be set, and the status lists no runs."""
        self._app = app
        self._config = config
        self._gate = gate
        self._subscribing = subscribing
        self._chats = ChannelsByChat(config.channels)
        self._verdicts = Verdicts(
            feedback=SqlFeedback(app.database), archive=app.archive, clock=app.clock
        )

    def language(self, account: str, asked: Incoming) -> Language:
        """The language of the question, otherwise that of its channel."""
        preferences = self._chats.channel(account, asked) or self._config.defaults
        said = None if asked.action else language_of(asked.text)
        return said or preferences.language

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:
        """The answer; ``None`` for no reply. Raises ``UserError``."""
        passed = await self._admit(account, asked)
        if passed is None:
            return None
        watch.admit(addressed=asked.addressed)
        if asked.action in _VERDICTS:
            visible = [repository.repository for repository in passed.repositories]
            return await self._verdicts.note(asked, visible, watch.language)
        return await self._answer(passed, watch)

    async def owed(self, account: str, asked: Incoming) -> bool:
        """Whether to tell the asker that no answer comes: they pass the access check and wait."""
        if not asked.addressed or asked.action in _VERDICTS:
            return False
        try:
            return await self._admit(account, asked) is not None
        except errors.UserError:
            return False

    async def forget(self, account: str, asked: Incoming) -> None:
        """Forget the conversation that the question continued."""
        channel = self._chats.channel(account, asked)
        await self._app.conversations.forget(_conversation(account, asked, channel))

    async def _admit(self, account: str, asked: Incoming) -> _Asked | None:
        """The message with what it may ask about; ``None``: stay silent. Raises ``UserError``."""
        channel = self._chats.channel(account, asked)
        # The access check uses the chat's name from the configuration.
        known = replace(asked, chat=channel.chat) if channel else asked
        admission = await self._gate.admit(account, known)
        if not admission.allowed:
            if admission.silent:
                return None
            raise errors.UserError(refusal(admission, self.language(account, asked)))
        seen = frozenset(admission.repositories)
        visible = [
            repository for repository in self._config.repositories if repository.name in seen
        ]
        if not visible:
            raise errors.UserError("no repository is configured; name one under [[repositories]]")
        return _Asked(
            account=account,
            incoming=asked,
            admission=admission,
            channel=channel,
            preferences=channel or self._config.defaults,
            repositories=visible,
        )

    async def _answer(self, passed: _Asked, watch: AnswerProgress) -> Document | None:
        asked = passed.incoming
        question = f"{asked.action} {asked.text}" if asked.action else asked.text
        found, document = await self._find_answer(passed, question, watch)
        # In a thread between people, words that are no question are not meant for the bot.
        if found.intent == "unknown" and not asked.addressed:
            return None
        buttons = answer_buttons(found, watch.language, mutes=self._subscribing is not None)
        return with_buttons(document, buttons)

    async def _find_answer(
        self, passed: _Asked, question: str, watch: AnswerProgress
    ) -> tuple[Answer, Document]:
        """The answer from the named repository, otherwise from the first that has one."""
        asked, first = passed.incoming, None
        # A button press has no words of its own: it is answered in the chat's language.
        language = watch.language if asked.action else None
        conversation = _conversation(passed.account, asked, passed.channel)
        clock, talk = self._app.clock, None
        # Nothing may be remembered of an answer that was never posted.
        kept = DeferredWrites(
            kept=self._app.conversations, after=watch.after, thread=lambda: watch.thread
        )
        if len(passed.repositories) > 1:
            talk = await kept.talk(conversation, clock.now())
        last, zone = talk.repository if talk else "", passed.preferences.zone
        chosen = which(question, passed.repositories, last, clock.now(), zone)
        trouble: errors.UserError | None = None
        for settings in chosen.asked:
            understood = first[0].understood if first else ""
            try:
                ctx = await self._context(passed, settings, watch)
                ctx = replace(ctx, conversations=kept)
                found = await ask(
                    chosen.question,
                    ctx,
                    language,
                    conversation=conversation,
                    understood=understood,
                    pressed=bool(asked.action),
                )
                if isinstance(found.error, _OF_THIS_MACHINE):
                    raise found.error
            except _OF_THIS_MACHINE as error:
                # Its text, such as a folder's name, is for the log and not for a chat.
                log.warning("repository.unreadable", repository=settings.name, error=str(error))
                said = UNREADABLE.text(watch.language, repository=settings.name)
                trouble = trouble or errors.UserError(said)
                continue
            told = found, chosen.told(found, settings, watch.language)
            if not chosen.goes_on(found):
                return told
            first = first or told
        if first is None:
            assert trouble is not None
            raise trouble
        return first

    async def _context(
        self, passed: _Asked, settings: RepositoryConfig, watch: AnswerProgress
    ) -> Context:
        admission = passed.admission
        asked_in = passed.channel.name if passed.channel else admission.chat
        judging = self._app.judging(asked_in, admission.person, watch)
        if judging is not None:
            judging = replace(judging, patience=min(judging.patience, READER))
        ctx = self._app.context(
            await self._app.watch_configured(settings),
            zone=passed.preferences.zone,
            language=passed.preferences.language,
            progress=watch,
            judging=judging,
            usage=Usages(
                self._app.data,
                {repository.name: repository.place for repository in passed.repositories},
            ),
        )
        ctx = replace(ctx, overheard=not passed.incoming.addressed)
        if self._subscribing is None:
            return ctx
        chat = passed.channel.chat if passed.channel else passed.incoming.chat
        mine = partial(_mine, passed.account, chat, admission.repositories)
        standing = ChatStatus(app=self._app, served=self._subscribing, mine=mine)
        room = await self._subscribing.room(passed.account, passed.incoming, admission)
        zone = room.zone or ctx.zone
        return replace(ctx, standing=standing, room=room, zone=zone, language=room.language)


def _mine(account: str, chat: str, visible: Collection[str], subscription: Subscription) -> bool:
    """Whether a subscription is the chat's, and of a repository that the chat may see."""
    here = (subscription.platform, subscription.chat) == (account, chat)
    return here and any(settings.name in visible for settings in subscription.repositories)


def _conversation(account: str, asked: Incoming, channel: ChannelConfig | None) -> ConversationKey:
    """Whose conversation a message goes on with: one person's in one thread."""
    # The chat has the gate's name for it, so that what is kept for it meets its rules.
    thread = asked.receipt.thread if asked.receipt else ""
    chat = channel.chat if channel else asked.chat
    return ConversationKey(platform=account, chat=chat, thread=thread, person=asked.person)


_NOTED = {ReaderVerdict.USEFUL: NOTED_USEFUL, ReaderVerdict.USELESS: NOTED_USELESS}


@frozen
class Verdicts:
    """Saves people's verdicts on the repositories that their chat may see."""

    feedback: SqlFeedback
    archive: Archive
    clock: Clock

    async def note(
        self, asked: Incoming, repositories: Sequence[Repository], language: Language
    ) -> Document | None:
        """Save the verdict of a press and return the reply; ``None`` if it is known already."""
        verdict, about = ReaderVerdict(asked.action), asked.text
        opinion: dict[str, Any] = {
            "platform": asked.platform,
            "chat": asked.chat,
            "person": asked.person,
            "verdict": verdict,
            "at": self.clock.now(),
        }
        if about.startswith(OF_DIGEST):
            digest = await self.feedback.digest(about.removeprefix(OF_DIGEST))
            if digest is None or digest[0] not in {one.name for one in repositories}:
                return line(NOT_KNOWN.template(language), language)
            opinion |= {"repository": digest[0], "subject": digest[1]}
            return await self._keep(opinion, None, verdict, language)
        for repository in repositories:
            sha = about.removeprefix(OF_CHANGE)
            for change in await self.archive.find(repository, None, sha) if sha else ():
                opinion |= {"repository": repository.name, "subject": change.sha}
                return await self._keep(opinion, change, verdict, language)
        return line(NOT_KNOWN.template(language), language)

    async def _keep(
        self, opinion: dict[str, Any], change: Any, verdict: ReaderVerdict, language: Language
    ) -> Document | None:
        kept = opinion_of(opinion, change.grade if change is not None else None)
        if not await self.feedback.keep(kept):
            return None
        return line(_NOTED[verdict].template(language), language)
