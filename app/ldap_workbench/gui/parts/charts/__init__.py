"""Charts: each with keys, a reading in a sentence, a legend in words, its numbers one key away.

What enters are small frozen dataclasses of thinned arrays (`thin.py`); what a chart shows it can
also say and copy. Axes are ours (`axes.py` over `figures/ticks.py`), colours the theme's.
"""

import pyqtgraph as pg

pg.setConfigOptions(antialias=True)
