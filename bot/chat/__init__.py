"""The conversation in chats: from a message to the bot to the answer that stands below it.

- ``flow``: each message once, also when it is edited, deleted or left by a crash;
- ``telling``: one answer, from the placeholder on;
- ``message``: the placeholder that becomes the answer; ``watch``: what it shows meanwhile;
- ``record``: what is remembered of each message;
- ``answers``: the gate, and the use cases on behalf of the chat that asks;
- ``presses``: what buttons do; ``page``: the bot's own page.
"""
