"""Language models behind any server that implements OpenAI's chat completions."""
