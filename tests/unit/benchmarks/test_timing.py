"""Tables of figures are kept, and rows that got slower are told."""

from __future__ import annotations

from benchmarks.timing import Row, keep, kept, slower


def row(what: str, ratio: str) -> Row:
    return Row(what, "1 ms", "2 ms", ratio, "-")


def test_table_is_the_same_when_it_is_read_again(tmp_path):
    rows = [row("scan", "1.20x"), row("help", "-")]
    keep(rows, tmp_path / "table.json")
    assert kept(tmp_path / "table.json") == rows
    assert kept(tmp_path / "none.json") == []


def test_row_that_takes_over_a_tenth_longer_is_told():
    earlier = [row("scan", "1.00x"), row("digest", "4.00x"), row("help", "-"), row("gone", "1x")]
    now = [row("scan", "1.09x"), row("digest", "4.50x"), row("help", "9.0x"), row("new", "7x")]
    assert slower(now, earlier) == ["digest: 4x before, 4.5x now"]
