"""Sessions and models shared by the tests of the report; nothing here changes them."""

import pytest

from ldap_workbench.report.model import report_model
from ldap_workbench.session.reader import Session
from tests.sessions import build_capture_session, build_experiment_session


@pytest.fixture(scope="session")
def experiment_path(tmp_path_factory):
    return build_experiment_session(
        tmp_path_factory.mktemp("report") / "e.ldapwb", seconds=10, per_second=60
    )


@pytest.fixture(scope="session")
def capture_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "c.ldapwb"
    return build_capture_session(path, seconds=5, windows=2)


@pytest.fixture(scope="session")
def hostile_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "h.ldapwb"
    return build_experiment_session(path, pairs=2, seconds=5, per_second=40, hostile=True)


def model_of(path):
    with Session.open(path) as session:
        return report_model(session)


@pytest.fixture(scope="session")
def experiment(experiment_path):
    return model_of(experiment_path)


@pytest.fixture(scope="session")
def capture(capture_path):
    return model_of(capture_path)


@pytest.fixture(scope="session")
def hostile(hostile_path):
    return model_of(hostile_path)
