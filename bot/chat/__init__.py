"""Conversations in chats: from a message to the bot to the answer below it.

- ``message_service``: handles each message once, also after edits, deletions and crashes;
- ``responder``: makes one answer, from the placeholder on; ``reply``: that message;
- ``question_service``: access checks, and the use cases on behalf of the chat that asks;
- ``repository_choice``: which repository is meant; ``deferred_writes``: what is remembered;
- ``verdicts``: the feedback buttons; ``home_page``: the bot's own page.
"""
