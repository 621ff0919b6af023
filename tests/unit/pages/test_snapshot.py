"""Two snapshots of outputs differ where an output does, and nowhere else."""

from tests.snapshot import compare, normalised


def put(folder, **outputs):
    for name, text in outputs.items():
        path = folder / "tails" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_equal_snapshots_have_no_difference(tmp_path):
    before = put(tmp_path / "before", lab="p50 1 ms\n")
    after = put(tmp_path / "after", lab="p50 1 ms\n")
    assert compare(before, after) == []


def test_a_difference_names_the_output_and_its_lines(tmp_path):
    before = put(tmp_path / "before", lab="p50 1 ms\np99 5 ms\n", gone="")
    after = put(tmp_path / "after", lab="p50 1 ms\np99 6 ms\n", new="")
    assert compare(before, after) == [
        "only before: tails/gone",
        "only after: tails/new",
        "differs: tails/lab",
        "    @@ -2 +2 @@",
        "    -p99 5 ms",
        "    +p99 6 ms",
    ]


def test_what_differs_between_two_runs_of_the_same_code_is_taken_out(tmp_path):
    text = f"Session: {tmp_path}/1.ldapwb, written 2026-11-28 17:00, 12 operations"
    assert normalised(text, tmp_path) == "Session: ROOM/1.ldapwb, written NOW, 12 operations"
