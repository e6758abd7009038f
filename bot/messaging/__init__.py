"""What platforms share between a message and the wire; none of them is known here.

What a platform is to the rest of the program.

A platform is one module beside this package, or a package of its own where a file would be too
long, found by its name: ``kind = "console"`` in the configuration imports
``bot.platforms.console``. It holds

- ``Config``: a :class:`bot.util.section.Settings` model, the platform's own settings;
- ``create(config) -> Sender``: what ``digestbot run`` calls; a sender that also has ``listen``
  is a :class:`Receiver` too.

Nothing outside it names the platform, and it imports of ours only this package, ``settings``,
``legible``, ``terminal``, ``rates``, ``replays``, ``inbox``, ``called``, ``wire``, ``turns``,
``addressed``, ``remembered``, ``shapes`` and ``digest``; what two platforms of one maker share
stands beside these, as ``feishu_card`` does. ``tests/contract/test_platforms.py`` tries every
platform with the same kit.
"""
