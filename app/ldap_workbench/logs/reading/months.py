"""Names of months in the languages that servers and tools are found to print."""

from __future__ import annotations

NAMES = {
    1: "jan january janv janvier januar jän enero ene gennaio gen janeiro",
    2: "feb february févr februar febrero febbraio février fev fevereiro",
    3: "mar march mars märz mär mrz marzo março",
    4: "apr april avr avril abr abril aprile",
    5: "may mai mayo maggio mag maio",
    6: "jun june juin juni junio giugno giu junho",
    7: "jul july juil juillet juli julio luglio lug julho",
    8: "aug august août ago agosto",
    9: "sep september sept septembre septiembre settembre set setembro",
    10: "oct october octobre okt oktober octubre ottobre ott out outubro",
    11: "nov november novembre noviembre novembro",
    12: "dec december déc décembre dez dezember dic diciembre dicembre dezembro",
}
"""By number. English first: servers print the C locale; JVMs print that of the machine."""

MONTHS = {name: number for number, names in NAMES.items() for name in names.split()}
