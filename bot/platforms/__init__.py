"""One file a chat platform; each knows only ``base`` and the document it renders."""
