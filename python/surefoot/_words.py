"""Messages of the command in Python's words: parameters in place of flags."""

from __future__ import annotations

import re

from surefoot._flags import BY_FLAG, Parameter

# A flag with the word that may be its value: quoted, or up to the next blank. Prose behind a flag, such as "--l2 X"
# with a placeholder in capitals, keeps its words.
_FLAG = re.compile(
    r"(?<![\w-])(?P<quote>'?)--(?P<flag>[a-z0-9]+(?:-[a-z0-9]+)*)"
    r"(?:(?:=| )(?!--)(?P<value>(?:\"[^\"]*\"|[^\s'\";()])+|'[^']*'))?(?P<end>'?)"
)
# The name that a flag's value has in the help, behind the flag.
_PLACEHOLDER = re.compile(r"(--[a-z0-9-]+) <[^<> ]{1,24}>")
# How the parser of flags says that a whole number is out of its range.
_RANGE = re.compile(r"-?[0-9]+ is not in ([0-9]+)\.\.=([0-9]+)")
_KNOWN_WORDS = {
    "text": re.compile(
        r"auto|min|1se|error|indicator|mean|balanced|none|yes|no|svmlight|csv|tsv|vw|parquet|arrow|logistic|hinge"
        r"|squared|squared_hinge|smoothed_hinge|huber|absolute|quantile|poisson|gamma|tweedie|softmax|ovr"
    ),
    "number": re.compile(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?|[A-Z]|none"),
    "auto": re.compile(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?|[A-Z]|auto"),
    "seconds": re.compile(r"[0-9.]+m?s|[A-Z]+"),
    "yesno": re.compile(r"yes|no"),
}
_SENTENCES = (
    ("next         surefoot eval the model TEST", "next         score(X, y)"),
    ("next         surefoot predict the model NEW -o predictions.txt", "next         predict(X)"),
    (
        ", not a ball: --l2 X in place of --radius",
        ", not a ball: give passes=1 with radius, or l2=X in place of it",
    ),
    ("; see surefoot --help", ""),
    (
        "--type margin prints the exponent, --on-error empty|skip passes over such rows",
        "decision_function gives it",
    ),
    ("surefoot export lists the features", "coef_names_ lists the features"),
    ("surefoot inspect", "model_.about()"),
    ("--type probability and mean need probabilities", "predict_proba needs probabilities"),
    (": use margin or class", ": use decision_function or predict"),
    ("and the saved model", "and the model"),
    ("the best model found is saved", "the best model found is kept"),
    ("the model of the first pass is saved", "the model of the first pass is kept"),
    ("a model is what 'surefoot fit' writes with -o", "a model is what save and the command write"),
    ("invalid digit found in string", "a whole number of at least 0 is needed"),
    ("number too large to fit in target type", "the number is too large"),
    ("was given; leave the flag out", "was given; set it back, or set warm_start=False"),
    ("leave the flag out", "leave it out"),
    ("leave the flags out", "leave them out"),
)
#: Flags of the command without a parameter, and what Python has in their place.
_OTHERS = {
    "test": "score(X, y)",
    "report": "report=True",
    "resume": "warm_start=True",
    "nonneg": "bounds=(0, None)",
    "rates": "rates=True",
    "type": "decision_function or predict_proba",
    "memory": "SUREFOOT_MEMORY",
    "output": "save",
    "snapshot": "partial_fit",
    "engine": "fit_distributed",
    "workers": "workers",
    "shards": "shards",
    "checkpoint": "checkpoint",
}


def translate(message: str) -> str:
    """Return a message of the command with its flags as parameters of an estimator."""
    for said, instead in _SENTENCES:
        message = message.replace(said, instead)
    message = _RANGE.sub(r"a number from \1 to \2 is needed", message)
    return _FLAG.sub(_parameter, _PLACEHOLDER.sub(r"\1", message))


def _parameter(match: re.Match[str]) -> str:
    flag, mark = match["flag"], ""
    value: str | None = match["value"]
    end = "" if match["quote"] else match["end"]
    parameter = BY_FLAG.get(flag)
    if value is not None and not _is_open_range(parameter, value):
        bare = value.rstrip(",.:")
        mark, value = value[len(bare) :], bare or None
    if parameter is None:
        known = _OTHERS.get(flag)
        is_placeholder = value is not None and value.isupper()
        return match[0] if known is None else _with_rest(known, None if is_placeholder else value) + mark + end
    if parameter.write is None:
        return _with_rest(f"{parameter.name}={parameter.on}", value) + mark + end
    written = None if value is None else _value(parameter, value)
    if written is None:
        return _with_rest(parameter.name, value) + mark + end
    return f"{parameter.name}={written}{mark}{end}"


def _is_open_range(parameter: Parameter | None, value: str) -> bool:
    """Return whether a value ends in the comma of a range without an upper bound."""
    return parameter is not None and parameter.kind == "bounds" and value.count(",") == 1


def _with_rest(text: str, value: str | None) -> str:
    """Return the text with the word that followed the flag and was no value of it."""
    return text if value is None else f"{text} {value}"


def _value(parameter: Parameter, value: str) -> str | None:
    """Return a value of a flag as Python writes it; `None` if the word belongs to the sentence."""
    bare = value[1:-1] if value[0] in "'\"" else value
    kind = parameter.kind
    if kind == "names":
        names = _split(value if value[0] != "'" else bare)
        is_prose = value.islower() and value.isalpha() and value in _PROSE
        return None if is_prose else "[" + ", ".join(f'"{name}"' for name in names) + "]"
    if kind == "pairs":
        pair = bare.split(":")
        return f'[("{pair[0]}", "{pair[1]}")]' if len(pair) == 2 else None
    if kind == "dict":
        name, _, factor = bare.rpartition("=")
        return f'{{"{name}": {factor}}}' if name else None
    if kind == "bounds":
        return _bounds(bare)
    if kind == "text" and (value[0] in "'\"" or (parameter.name in _COLUMNS and value not in _PROSE)):
        return f'"{bare}"'
    pattern = _KNOWN_WORDS.get(kind)
    if pattern is None or not pattern.fullmatch(bare):
        return None
    if kind == "yesno":
        return str(bare == "yes")
    if kind == "seconds":
        return bare.removesuffix("s")
    is_number = kind in ("number", "auto") and bare not in ("auto", "none")
    return bare if is_number else f'"{bare}"'


#: Parameters whose value is the name of a column.
_COLUMNS = {"label", "sample_weight", "trials", "offset", "exposure", "delimiter", "quote", "decimal"}
#: Words that follow a flag in the command's sentences without being its value.
_PROSE = frozenset(
    """
    a about above add and are as asks at but by can does exclude excludes for from gives has have holds in is is: it
    knows leave leaves makes may means minimises multiplies names needs of on or says seeks takes that the to which
    with X
    """.split()
)


def _split(names: str) -> list[str]:
    """Split a comma-separated list in which names with commas are in double quotes."""
    found = re.findall(r'"((?:[^"]|"")*)"|([^,"]+)', names)
    return [quoted.replace('""', '\\"') or bare for quoted, bare in found]


def _bounds(value: str) -> str | None:
    name, _, sides = value.rpartition("=")
    low, comma, high = sides.partition(",")
    if not comma:
        return None
    pair = f"({low or None}, {high or None})"
    return f'{{"{name}": {pair}}}' if name else pair
