"""Language models behind any server that implements OpenAI's chat completions.

:mod:`bot.llm.probe` connects to the configured model, and :mod:`bot.llm.runtime` adds what a
process shares.
"""
