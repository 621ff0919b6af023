#!/bin/sh
# Installs the LDAP Tuning Workbench from the wheels beside this script; needs Python, no network.
#   ./install.sh [--no-window] [FOLDER]     FOLDER: ~/.local/share/ldap-tuning-workbench
# The command is linked as ~/.local/bin/ldap-workbench. To remove it: delete the folder and the link.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
extra="[gui]"
if [ "${1:-}" = --no-window ]; then
    extra=""
    shift
fi
folder=${1:-$HOME/.local/share/ldap-tuning-workbench}
python=${PYTHON:-python3}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or newer with the venv module is needed: set PYTHON to one."
(cd "$here" && sha256sum --quiet --check SHA256SUMS) ||
    fail "Files of this bundle are damaged. Nothing was installed: copy it again."
[ ! -e "$folder" ] || fail "$folder exists. Nothing was installed: remove it, or name another folder."

"$python" -m venv "$folder"
wheel=$(ls "$here"/wheels/ldap_tuning_workbench-*.whl)
if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index \
    --find-links "$here/wheels" "$wheel$extra"; then
    rm -rf "$folder"
    fail "The wheels do not fit this Python ($("$python" --version)). Nothing was installed."
fi
mkdir -p "$HOME/.local/bin"
ln -sf "$folder/bin/ldap-workbench" "$HOME/.local/bin/ldap-workbench"
printf '%s\n' "Installed: $HOME/.local/bin/ldap-workbench"
