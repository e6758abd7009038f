"""Reports: the changes of a window as platform-neutral documents.

``assembly`` collects and counts, ``blocks`` lays out one change, ``full_report`` the whole report,
``condensed`` the digest for a channel, ``roll_up`` that of a week or month, ``report_json`` the
JSON.
"""
