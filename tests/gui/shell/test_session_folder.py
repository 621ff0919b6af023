"""New sessions are written where their user looks for them, whatever was opened before."""

from pathlib import Path

import pytest

from ldap_workbench.practice.samples import samples
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import FACTS


@pytest.fixture
def sampled(qtbot, window):
    """A sample is open, and a server is connected."""
    window.open_paths([samples()[0].copy()])
    idle(qtbot, window)
    connect(window, Server(FACTS))
    idle(qtbot, window)
    return window


def test_after_a_sample_sessions_are_written_to_the_documents(sampled, tmp_path):
    documents = tmp_path / "documents"
    assert Path(sampled.capture._path.text()).parent == documents
    assert sampled.experiment.design.path().parent == documents
    assert sampled.experiment._free_path("noise-floor").parent == documents


def test_a_folder_the_operator_chose_is_offered_again(sampled, tmp_path):
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    sampled.workbench.settings.new_folder = chosen
    assert sampled.capture._suggested_path("lab").parent == chosen
    chosen.rmdir()
    assert sampled.capture._suggested_path("lab").parent == tmp_path / "documents"


def test_without_a_documents_folder_it_is_the_home(sampled, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DOCUMENTS_DIR", str(tmp_path / "nowhere"))
    assert sampled.workbench.settings.new_folder == Path.home()
