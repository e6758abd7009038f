"""Reports: the changes of a window, gathered and laid out as platform-neutral documents.

``assembly`` gathers and counts, ``blocks`` lays out one change, ``full`` the whole report,
``condensed`` the digest for a channel, ``weekly`` the roll-up of a week, ``form`` the JSON.
"""

from digest.report.assembly import Counts, Coverage, Entry, Report, assemble, tally
from digest.report.blocks import change_blocks, grade_reasons, title_link
from digest.report.condensed import digest_document, shown, why
from digest.report.form import report_to_json
from digest.report.full import report_document
from digest.report.weekly import weekly_document

__all__ = [
    "Counts",
    "Coverage",
    "Entry",
    "Report",
    "assemble",
    "change_blocks",
    "digest_document",
    "grade_reasons",
    "report_document",
    "report_to_json",
    "shown",
    "tally",
    "title_link",
    "weekly_document",
    "why",
]
