"""Reports: the changes of a window as platform-neutral documents.

``assembly`` collects and counts, ``blocks`` lays out one change, ``full_report`` the whole report,
``condensed`` the digest for a channel, ``weekly`` the weekly digest, ``report_json`` the JSON.
"""
