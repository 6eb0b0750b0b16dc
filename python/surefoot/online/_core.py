"""The classes of the extension module that this package is made of; `_core.pyi` says what they have."""

from surefoot import _surefoot

Learner = _surefoot.online.Learner
Method = _surefoot.online.Method
Domain = _surefoot.online.Domain
Weights = _surefoot.online.Weights
Certificate = _surefoot.online.Certificate
Ledger = _surefoot.online.Ledger
Cuts = _surefoot.online.Cuts
Curved = _surefoot.online.Curved
Composite = _surefoot.online.Composite
Coupled = _surefoot.online.Coupled
Risk = _surefoot.online.Risk
Stream = _surefoot.online.Stream
