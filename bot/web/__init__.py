"""The program's web server: what platforms and forges call, what people and probes look at.

``config`` is the section ``[web]``, ``server`` puts what is mounted behind one address and serves
it beside the loop, ``guard`` is what every request passes, ``hosting`` says what is mounted where.
"""
