"""The web pages, rendered on the server from the archive.

``page_table`` lists every page and ``routes`` serves it in three forms (HTML, Markdown, JSON). Each
kind of page has one function from a request to a :class:`~bot.web.pages.site.Page`. The templates
escape all text from outside; pages load nothing from other servers.
"""
