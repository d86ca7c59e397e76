"""Bayesian inference over data that several parties hold and none may share.

``fit = vflc.run(model, data={"registry": frame, "hospital_a": other})`` fits a model to data frames,
``vflc.load(folder)`` opens an earlier run, and ``vflc.Model(model, data)`` is its log density for other
samplers. Flags of the command are keyword arguments: ``draws=1000`` is ``--draws 1000``.
"""

from ._commands import audit, check, compile, resume, run, simulate
from ._density import Model
from ._errors import Diagnostic, Fix, Interrupted, Note, Place, VflcError, VflcWarning
from ._fit import Document, Fit, Plot, Report, load
from ._process import binary, command

__all__ = [
    "Diagnostic",
    "Document",
    "Fit",
    "Fix",
    "Interrupted",
    "Model",
    "Note",
    "Place",
    "Plot",
    "Report",
    "VflcError",
    "VflcWarning",
    "audit",
    "binary",
    "check",
    "command",
    "compile",
    "load",
    "resume",
    "run",
    "simulate",
]
