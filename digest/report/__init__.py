"""Reports: the changes of a window, gathered and laid out as platform-neutral documents.

``assembly`` gathers and counts, ``blocks`` lays out one change, ``full`` the whole report,
``condensed`` the digest for a channel, ``weekly`` the roll-up of a week, ``form`` the JSON.
"""
