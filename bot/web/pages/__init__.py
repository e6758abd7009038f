"""The web pages: made on the server from the archive, from files that come with the program.

``table`` lists every page, ``routes`` serves it in its three forms (a page, Markdown, JSON);
``asked`` reads a request, ``replying`` answers it, ``shelf`` is what there is to show. Each kind
of page is a module with one function from a request to a :class:`~bot.web.pages.site.Page`. Every
text from outside is escaped by the templates; nothing is loaded from anywhere else.
"""
