"""All output texts, in English and Chinese side by side.

``phrase`` is the mechanism; ``labels`` names things, ``consequence_text`` and ``statement_text``
hold what analyses say, and the other modules what reports, answers and chats say around them.
"""
