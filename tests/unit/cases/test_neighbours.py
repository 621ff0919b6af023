"""Outputs of the tools beside: read where they tell something, else named with what would."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.session.reader import Session
from tests.unit.cases.published import tell, tell_files
from tests.unit.logs.material import material

LDCLT = """ldclt version 4.23
ldclt -h 127.0.0.1 -p 3389 -n 8 -e esearch,random
{start}
ldclt[22]: Average rate: 5839.75/thr  (4671.80/sec), total:  46718
ldclt[22]: Average rate: 5000.00/thr  (4000.00/sec), total:  40000
ldclt[22]: Global average rate: 10839.75/thr  (4335.90/sec), total: 86718
ldclt[22]: Ending at Sat Nov 21 02:25:40 2026
"""


@pytest.mark.parametrize("start", ["", "ldclt[22]: Starting at Sat Nov 21 02:25:20 2026"])
def test_rates_of_ldclt_stand_beside_the_window(start: str, tmp_path: Path) -> None:
    told = tell_files({"ldclt.txt": LDCLT.format(start=start)}, tmp_path)
    (window,) = told.imported.windows
    with Session.open(told.path) as session:
        times, rates = session.samples(window, "ldclt:rate")
    assert rates.tolist() == [4671.8, 4000.0]
    assert (times[1] - times[0]) == 10 * 10**9
    assert times[1] == 1795227940 * 10**9
    notes = told.imported.sources[0].details["notes"]
    assert "ldclt made 86,718 operations, 4,335.9 a second." in [str(note) for note in notes]


def test_ldclt_of_the_lab(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    text = material("389ds-2.3.1-lab/ldclt-search.txt").read_text()
    (folder / "ldclt.txt").write_text(text)
    (source,) = tell(folder, tmp_path).imported.sources
    assert source.samples == text.count("Average rate:")
    assert source.lines.unknown == 0


ERRORS = "[21/Nov/2026:02:20:00 +0000] - INFO - main - 389-Directory/2.3.1 starting up\n"
USER = "=uid=user00000{},ou=people,dc=example,dc=com"
GROUPS = "64 65 66 67 68 69 70 71 72 73 74 75 "
"""Member index of 389 DS 2.3.1: ten users, each in twelve groups."""


@pytest.mark.parametrize(
    "lines",
    [
        "{user}\n",
        # The length of a list follows a key of more than 40 characters without a space.
        "{user}13\n",
        "{user}\t\t12\n",
    ],
)
def test_dbscan_is_named_whatever_its_options(lines: str, tmp_path: Path) -> None:
    text = "".join(lines.format(user=USER.format(n), n=n, groups=GROUPS) for n in range(10))
    files = {"member.txt": text, "errors": ERRORS}
    (why,) = tell_files(files, tmp_path).imported.left_out.values()
    assert str(why).startswith("keys of an index, as dbscan prints them: ")
    assert "--references" in str(why)


@pytest.mark.parametrize("count", [3, 13, 240])
@pytest.mark.parametrize("length", ["", "{count}"])
def test_entries_that_many_groups_name_are_told_from_dbscan(
    count: int, length: str, tmp_path: Path
) -> None:
    ids = "".join(f"{64 + n} " for n in range(count))
    keys = "".join(f"{USER.format(n)}{length.format(count=count)}\n\t{ids}\n" for n in range(10))
    told = tell_files({"member.txt": keys}, tmp_path)
    (source,) = told.imported.sources
    assert (source.lines.understood, source.lines.unknown) == (20, 0)
    if count <= 20:
        assert "referred" not in told.findings
        return
    found = told.findings["referred"]
    assert (found.numbers["entries"], found.numbers["most"]) == (10, count)
    assert found.numbers["dn"] == "uid=user000000,ou=people,dc=example,dc=com"
    said = [str(each.text) for each in found.evidence]
    assert f"uid=user000009,ou=people,dc=example,dc=com: {count} references" in said


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "member.txt",
            "=uid=a,ou=people,dc=example,dc=com\t\t12\n=uid=b,ou=people,dc=example,dc=com\t\t3\n",
            ("dbscan", "--references"),
        ),
    ],
)
def test_what_is_not_read_is_named_with_what_would_tell(
    name: str, text: str, words: tuple[str, str], tmp_path: Path
) -> None:
    files = {name: text, "errors": ERRORS}
    told = tell_files(files, tmp_path)
    (why,) = told.imported.left_out.values()
    for word in words:
        assert word in str(why)
