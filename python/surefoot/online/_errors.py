"""The exception of a run that has no certificate."""

from __future__ import annotations


class Uncertified(ValueError):
    """No certificate can be given.

    Attributes
    ----------
    reason : str
        Why there is none.
    remedy : str
        What to do to get one.

    Examples
    --------
    >>> from surefoot.online import Anytime, DualAdaGrad, Uncertified
    >>> method = Anytime(DualAdaGrad(2, 1.0), certified=True)
    >>> method.tell([1.0, 0.0])
    >>> try:
    ...     method.certificate()
    ... except Uncertified as why:
    ...     print(why.reason)
    neither domain nor penalty bounds the minimiser

    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}; {remedy}")
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[Uncertified], tuple[str, str]]:
        """Pickle with both parts."""
        return Uncertified, (self.reason, self.remedy)
