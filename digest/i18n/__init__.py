"""All words of output, English and Chinese side by side.

``phrase`` is the mechanism; ``labels`` names things, ``reasons`` tells a grade, ``statements`` is
what analyses say and ``pages`` what reports and digests say around them.
"""
