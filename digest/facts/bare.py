"""What can be said of a change whose lines could not be read: its message and its paths."""

from __future__ import annotations

from digest.change import Change
from digest.facts.areas import area_of, language_of
from digest.facts.model import Facts, FileFacts, Subject


def bare(change: Change) -> Facts:
    """Facts without items: the subject as it stands, and the files with their areas.

    Their version is older than any, so that the change is read again at the next occasion.
    """
    subject = change.commit.subject
    return Facts(
        subject=Subject(title=subject, words=subject),
        files=tuple(
            FileFacts(
                path=f.path,
                status=f.status,
                area=area_of(f.path),
                language=language_of(f.path),
                old_path=f.old_path,
                added=f.added,
                deleted=f.deleted,
                omitted=f.omitted,
                binary=f.binary,
            )
            for f in change.files
        ),
        merge=len(change.commit.parents) > 1,
        version=0,
    )
