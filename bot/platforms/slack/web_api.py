"""Slack's Web API: each call is made once and its failure classified; nothing is retried here.

Error codes are those that https://docs.slack.dev/reference/methods/chat.postMessage and the pages
of the other methods list.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.messaging.sender import SendError, SendReason

_CODES = {
    SendReason.RATE_LIMITED: """
        ratelimited rate_limited message_limit_exceeded team_quota_exceeded""",
    # Slack says that these calls were not carried out.
    SendReason.UNAVAILABLE: """
        service_unavailable team_added_to_org request_timeout""",
    # Slack says that these calls may have been carried out in part.
    SendReason.NO_ANSWER: "fatal_error internal_error",
    SendReason.UNAUTHORIZED: """
        not_authed invalid_auth account_inactive token_revoked token_expired no_permission
        missing_scope not_allowed_token_type access_denied accesslimited two_factor_setup_required
        org_login_required ekm_access_denied enterprise_is_restricted team_access_not_granted
        app_access_restricted app_missing_action_url invalid_app_id""",
    SendReason.NO_CHANNEL: """
        channel_not_found not_in_channel is_archived user_not_found user_disabled cannot_dm_bot
        messages_tab_disabled is_inactive channel_type_not_supported restricted_action
        restricted_action_read_only_channel restricted_action_thread_only_channel
        restricted_action_non_threadable_channel restricted_action_thread_locked
        thread_not_found cannot_reply_to_message slack_connect_file_upload_sharing_blocked
        team_not_found method_not_supported_for_channel_type""",
    SendReason.REJECTED: """
        invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long no_text
        invalid_arguments invalid_arg_name invalid_array_arg invalid_charset invalid_form_data
        invalid_json json_not_object invalid_metadata_format invalid_metadata_schema
        metadata_too_large metadata_must_be_sent_from_app too_many_attachments
        markdown_text_conflict as_user_not_supported cant_update_message edit_window_closed
        message_not_found block_mismatch streaming_state_conflict view_too_large""",
    SendReason.UNSUPPORTED: "deprecated_endpoint method_deprecated unknown_method not_enabled",
}
_REASONS = {code: reason for reason, codes in _CODES.items() for code in codes.split()}
BLOCKS_REFUSED = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
"""Slack rejected the blocks; it may accept the text alone."""


class SlackRefusal(SendError):
    """A call that Slack answered with an error; ``code`` is Slack's error code."""

    def __init__(
        self, code: str, reason: SendReason, detail: str, retry_after: float | None
    ) -> None:
        super().__init__(reason, detail, retry_after=retry_after)
        self.code = code


_OPEN = "apps.connections.open"
_LISTENING = "generate an app token with the scope connections:write, and check app_token"
_REINSTALL = "install the app again, and copy the bot token"
_REMEDIES = {
    **dict.fromkeys(("invalid_auth", "account_inactive", "token_revoked"), _REINSTALL),
    "missing_scope": "paste the manifest that digestbot app slack prints, and reinstall the app",
    "channel_not_found": "check the id, and invite the bot with /invite if the channel is private",
}


def classify(error: Exception, method: str) -> SendError:
    """A failed call as a ``SendError``, whose text names the method and the code but no secret."""
    match error:
        case SlackApiError(response=response):
            return _refusal(response, method)
        case aiohttp.ClientConnectorError() | aiohttp.ConnectionTimeoutError():
            return SendError(SendReason.UNAVAILABLE, f"{method}: no connection")
        case aiohttp.ClientHttpProxyError(status=status):
            said = f"{method}: the proxy refuses the connection (status {status})"
            return SendError(SendReason.UNAVAILABLE, said)
        case aiohttp.InvalidURL():
            return SendError(SendReason.BROKEN, f"{method}: no usable address")
        case aiohttp.ClientError() | TimeoutError() | OSError():
            # The request may have arrived.
            return SendError(SendReason.NO_ANSWER, f"{method}: {type(error).__name__}")
    return SendError(SendReason.BROKEN, f"{method}: {type(error).__name__}")


def _refusal(response: Any, method: str) -> SendError:
    # The response is the library's own, or aiohttp's if the body is no JSON.
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    data = getattr(response, "data", None)
    code = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == 429:
        code = code or "ratelimited"
    reason = _REASONS.get(code) or _by_status(status, code)
    detail = f"{method}: {code or f'HTTP {status}'}"
    if isinstance(data, dict) and code == "missing_scope":
        detail += f", needed is {data.get('needed', '?')}"
    remedy = _LISTENING if method == _OPEN else _REMEDIES.get(code)
    if remedy and reason in {SendReason.UNAUTHORIZED, SendReason.NO_CHANNEL}:
        detail += f"; {remedy}"
    return SlackRefusal(code, reason, detail, _pause(getattr(response, "headers", {})))


def _by_status(status: int, code: str) -> SendReason:
    if code.startswith(("restricted_action", "slack_connect_")):
        return SendReason.NO_CHANNEL
    if status in {401, 403}:
        return SendReason.UNAUTHORIZED
    # A gateway's answer says nothing about the server behind it.
    return SendReason.NO_ANSWER if status >= 500 else SendReason.BROKEN


def _pause(headers: Mapping[str, str]) -> float | None:
    value = str(headers.get("Retry-After", ""))
    return float(value) if value.isdecimal() else None


Json = dict[str, Any]
TIMEOUT = aiohttp.ClientTimeout(total=25, sock_connect=10)
"""Seconds for one call. Less than the delivery's timeout, so that the reason is determined here."""

# The libraries log requests and answers, which are private; our own events log what matters.
quiet = logging.getLogger("bot.platforms.slack.library")

quiet.setLevel(logging.CRITICAL + 1)


class SlackWebApi:
    """Calls over persistent connections."""

    # The library's own retry handlers would repeat a post whose connection broke after Slack took
    # it; they are disabled.

    def __init__(self, api: str) -> None:
        self.client = AsyncWebClient(base_url=api, retry_handlers=[], logger=quiet, timeout=25)
        # The library would use the environment's proxy for every host; a session knows NO_PROXY.
        self.client.proxy = None

    def connect(self) -> None:
        """Give the library's client persistent connections in the running loop."""
        if self.client.session is None or self.client.session.closed:
            self.client.session = aiohttp.ClientSession(timeout=TIMEOUT, trust_env=True)

    async def post(self, method: str, token: str, **values: Any) -> Json:
        """Call a method that changes something. Raises ``SendError``."""
        return await self._call(method, http_verb="POST", json=_arguments(values, token))

    async def read(self, method: str, token: str, **values: Any) -> Json:
        """Call a method that only reads. Raises ``SendError``."""
        return await self._call(method, http_verb="GET", params=_arguments(values, token))

    async def upload(
        self, token: str, *, channel: str, thread: str, content: bytes, title: str, alt: str
    ) -> None:
        """Put a PNG into a thread: request an address, send the bytes there, complete the upload.

        https://docs.slack.dev/messaging/working-with-files#upload. Raises ``SendError``.
        """
        self.connect()
        try:
            await self.client.files_upload_v2(
                token=token,
                channel=channel,
                thread_ts=thread,
                filename="chart.png",
                content=content,
                title=title,
                alt_txt=alt,
            )
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise classify(error, "files.completeUploadExternal") from error

    async def _call(self, method: str, **request: Any) -> Json:
        self.connect()
        try:
            response = await self.client.api_call(method, **request)
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise classify(error, method) from error
        if not isinstance(response.data, dict):
            raise SendError(SendReason.BROKEN, f"{method}: no JSON")
        return response.data

    async def aclose(self) -> None:
        """Close the connections."""
        if self.client.session is not None:
            await self.client.session.close()


def _arguments(values: Json, token: str) -> Json:
    # The library removes the token and sends it as a header.
    return {name: value for name, value in values.items() if value is not None} | {"token": token}
