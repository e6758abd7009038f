"""How much a change matters: signals, the model over them, and how grades turned out."""
