"""All words of output, English and Chinese side by side.

``phrase`` is the mechanism; ``labels`` names things, ``reasons`` tells a grade, ``statements`` is
what analyses say and ``pages`` what reports and digests say around them.
"""

from digest.words.phrase import Part, Phrase, joined, listed, sentence
from digest.words.reasons import reason_words

__all__ = ["Part", "Phrase", "joined", "listed", "reason_words", "sentence"]
