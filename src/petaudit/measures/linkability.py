"""Linkability: can two sources about a person be joined with the help of the synthetic table?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from petaudit.errors import OptionError, listing, names_in
from petaudit.inputs import Inputs
from petaudit.measures.attack import AttackMeasure, Tried, named_columns
from petaudit.system import kinds

if TYPE_CHECKING:
    from petaudit.attacks.tables import AttackTables

_PAIR = kinds.ListOf(kinds.COLUMNS)
_AUX = "two lists of columns that two sources know, or several such pairs"


class Linkability(AttackMeasure):
    """How many more people can be linked across two sources than strangers can?

    Two sources know different columns of the same people. Where the synthetic row that is nearest
    to somebody by one source is the nearest by the other, too, it joins the two. With 0.05, about
    one person in twenty is linked because they were in the training data.

    Does not say: It is about these two lists of columns; other lists may link more people. Sources
    with a column in common need no synthetic table to be joined.

    Formula: t and c: shares of people of the original and of the control for whom the nearest
    synthetic rows by both lists are the same row, equally near ones drawn at random; e = (t - c) /
    (1 - c), the worst over the pairs of lists

    Reference: M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying
    Privacy Risk in Synthetic Data. PoPETs 2023(2), doi 10.56553/popets-2023-0055

    >>> import pyarrow as pa
    >>> original = pa.table({"age": range(20), "zip": range(20)})
    >>> control = pa.table({"age": range(20), "zip": range(19, -1, -1)})
    >>> import warnings; warnings.simplefilter("ignore")
    >>> result = linkability(original, original, control, aux_cols=(["age"], ["zip"]))
    >>> result.value, result.attack_rate, result.control_rate
    (1.0, 1.0, 0.0)
    """

    name = "linkability"
    rank = 330

    def attack(  # type: ignore[override]
        self,
        inputs: Inputs,
        tables: AttackTables,
        *,
        aux_cols: Annotated[Sequence[Any], kinds.Either((_PAIR, kinds.ListOf(_PAIR))), _AUX],
        neighbours: Annotated[
            int, kinds.Integer(1), "how many nearest rows of either list may be the same one"
        ] = 1,
    ) -> Tried:
        """Look for the nearest rows by either list."""
        from petaudit.attacks.methods import linked  # noqa: PLC0415 (it compiles)

        attacks = []
        for first, second in pairs_of(aux_cols):
            # What is constant counts as given: a list of such columns knows nothing.
            one, other = (named_columns(names, tables, "aux_cols") for names in (first, second))
            attacks.append(linked(tables, one, other, neighbours))
        return Tried(attacks, breakdown={"neighbours": neighbours})

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse lists that share a column."""
        if options.get("aux_cols") is not None:
            pairs_of(options["aux_cols"])


def pairs_of(aux_cols: Sequence[Any]) -> list[tuple[list[str], list[str]]]:
    """The pairs of lists that are meant.

    >>> pairs_of((["age"], ["zip", "sex"])), pairs_of([(["a"], ["b"]), (["a"], ["c"])])
    ([(['age'], ['zip', 'sex'])], [(['a'], ['b']), (['a'], ['c'])])
    """
    is_several = all(
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and not all(isinstance(name, str) for name in pair)
        for pair in aux_cols
    )
    pairs = aux_cols if is_several else [aux_cols]
    lists = []
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise OptionError(
                "aux_cols must be two lists of columns, for example [[age, sex], [job, zip]]"
            )
        first, second = (list(names_in(names, "aux_cols")) for names in pair)
        shared = [name for name in first if name in second]
        if shared:
            raise OptionError(
                "both lists of aux_cols have {columns}; sources that share a column are linked "
                "without any synthetic table",
                columns=listing([repr(name) for name in shared]),
            )
        lists.append((first, second))
    return lists


linkability = Linkability.as_function()
