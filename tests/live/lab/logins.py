"""The logins people have on a server's host: shells, start-up files, sudo, passwords. Root only."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.live.lab.ds389 import Lab

GERMAN = "de_DE.UTF-8"
BANNER = "echo 'Authorised use only. All activity is logged.'\n"
LANGUAGE = f"export LOCPATH={{locales}} LANG={GERMAN} LC_ALL={GERMAN}\n"
WORK = {
    "bash": ("bash", ".bashrc", ""),
    "bash that greets": ("bash", ".bashrc", BANNER),
    "bash in German": ("bash", ".bashrc", LANGUAGE),
    "fish": ("fish", ".config/fish/config.fish", BANNER),
    "csh": ("tcsh", ".cshrc", BANNER),
}
"""Shell, start-up file and what is in it."""


class Login:
    """The lab's login, made into another one until `undo`."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.home = Path(f"~{lab.user}").expanduser()
        self._files: list[Path] = []

    def use(self, shell: str, file: str = "", text: str = "") -> None:
        """Another shell, and what is in a start-up file of it."""
        program = shutil.which(shell)
        if program is None:
            raise RuntimeError(f"{shell} is not installed")
        if file:
            path = self.home / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            self._files.append(path)
        subprocess.run(["usermod", "-s", program, self.lab.user], check=True)

    def sudo(self, default: str) -> None:
        """A line of Defaults for the login in sudoers."""
        user = self.lab.user
        self.lab.sshd.write_sudoers(f"Defaults:{user} {default}\n{user} ALL=(root) NOPASSWD: ALL\n")

    def expire(self) -> None:
        """The password has to be changed, which no command can do."""
        subprocess.run(["chage", "-d", "0", self.lab.user], check=True)

    def undo(self) -> None:
        """As the lab made it."""
        subprocess.run(["usermod", "-s", "/bin/sh", self.lab.user], check=True)
        subprocess.run(["chage", "-d", "2026-01-01", "-M", "-1", self.lab.user], check=True)
        for path in self._files:
            path.unlink(missing_ok=True)
        self._files.clear()
        self.lab.sshd.set_sudo(True)


def make_german(folder: Path) -> Path | None:
    """A folder with a locale that has commas in its numbers, for LOCPATH; None where it cannot be.

    sudo takes the variable from its file `environment`.
    """
    if shutil.which("localedef") is None:
        return None
    folder.mkdir(exist_ok=True)
    argv = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / GERMAN)]
    subprocess.run(argv, capture_output=True, check=False)
    if not (folder / GERMAN).is_dir():
        return None
    (folder / "environment").write_text(f"LOCPATH={folder}\n")
    return folder
