"""Language models behind any server that speaks OpenAI's chat completions.

``config`` holds the section of the configuration, ``connection`` puts a model together, and nothing
else here is needed from outside.
"""
