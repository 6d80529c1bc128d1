"""The decision tree of local recoding: where rows go, also those that nobody has seen yet.

A tree is plain data. An inner node has ``columns`` (the places of some quasi-identifiers) and
``levels`` (one for each of them): the labels of a row in these columns at these levels choose one
of ``children`` (each with its ``labels`` and its ``node``), and all other rows go to ``rest``. A
leaf has ``leaf``, its number, and ``levels``, those of the cells of its rows in all columns. Where
a node is None, rows are suppressed: no row of the table came there, or too few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petaudit.anonymizing.columns import Column, Label
from petaudit.anonymizing.forest import Forest
from petaudit.exact.class_figures import Integers
from petaudit.labels.cells import SUPPRESSED

Tree = Mapping[str, Any]


class Walker:
    """A tree that rows can be sent down.

    >>> leaf = lambda number, level: {"leaf": number, "levels": [level]}
    >>> europe = Walker({"columns": [0], "levels": [1], "rest": leaf(1, 2),
    ...                  "children": [{"labels": ["Europe"], "node": leaf(0, 1)}]})
    >>> europe.walk([("Rome", "Europe", "*")]), europe.walk([("Lima", "America", "*")])
    ((0, (1,)), (1, (2,)))
    """

    def __init__(self, tree: Tree | None) -> None:
        self._root = _indexed(tree)

    def walk(self, paths: Sequence[Sequence[Label]]) -> tuple[int, tuple[int, ...]] | None:
        """The leaf of a row and the levels of its cells; None where it is to be suppressed.

        ``paths`` has the labels of each cell of the row by level, from itself up to the root.
        """
        node = self._root
        while node is not None and "leaf" not in node:
            labels = tuple(
                paths[column][level]
                for column, level in zip(node["columns"], node["levels"], strict=True)
            )
            node = node["children"].get(labels, node["rest"])
        return None if node is None else (node["leaf"], tuple(node["levels"]))


def _indexed(tree: Tree | None) -> dict[str, Any] | None:
    """The same with children by their labels; trees may be deeper than Python calls itself."""
    if tree is None:
        return None
    top: dict[str, Any] = {}
    waiting: list[tuple[Tree, dict[str, Any]]] = [(tree, top)]
    while waiting:
        given, made = waiting.pop()
        made.update(given)
        if "leaf" in given:
            continue
        made["children"] = {}
        for child in given["children"]:
            node: dict[str, Any] | None = None if child["node"] is None else {}
            if node is not None:
                waiting.append((child["node"], node))
            made["children"][tuple(child["labels"])] = node
        if given["rest"] is not None:
            made["rest"] = {}
            waiting.append((given["rest"], made["rest"]))
    return top


def paths_of(column: Column, leaf: int) -> tuple[Label, ...]:
    """The labels of a leaf by level."""
    return tuple(
        labels[code]
        for labels, code in zip(column.labels, column.codes[:, leaf].tolist(), strict=True)
    )


class TreeMaker:
    """Makes a tree of a forest."""

    def __init__(
        self, columns: Sequence[Column], codes: Integers, forest: Forest, firsts: Integers
    ) -> None:
        self.columns = columns
        self.leaves = codes[:, firsts].T.tolist()
        self.parent, self.label = forest.parent.tolist(), forest.label.tolist()
        self.column, self.level = forest.column.tolist(), forest.level.tolist()
        self.came, self.now = forest.came.tolist(), forest.now.tolist()
        self.tops = [column.levels - 1 for column in columns]
        self.codes = [column.codes.tolist() for column in columns]

    def tree(self, roots: int, levels: Sequence[int] | None) -> Tree | None:
        """The tree of the only root, or of classes at some levels, the suppressed one first."""
        number = len(self.parent)
        made: list[Any] = [None] * number
        below: list[list[int]] = [[] for _ in range(number)]
        for node in range(roots, number):
            below[self.parent[node]].append(node)
        places = list(range(len(self.columns)))
        leaf = sum(column < 0 for column in self.column)
        for node in range(number - 1, -1, -1):
            now, tree = self.now[node], None
            if self.column[node] >= 0:
                tree = self._split(node, below[node], made)
            else:
                leaf -= 1
                if any(label != SUPPRESSED for label in self._labels(node, places, now)):
                    tree = {"leaf": leaf, "levels": now}
            made[node] = tree if now == self.came[node] else self._specialised(node, tree)
        if levels is None:
            whole: Tree | None = made[0]
            return whole
        at_top = self.came[0] == self.tops and list(levels) != self.tops
        children = [
            {"labels": self._labels(node, places, levels), "node": made[node]}
            for node in range(1 if at_top else 0, roots)
        ]
        rest = made[0] if at_top else None
        return {"columns": places, "levels": list(levels), "children": children, "rest": rest}

    def _split(self, node: int, below: list[int], made: list[Any]) -> Tree:
        place, level = self.column[node], self.level[node]
        children: list[dict[str, Any]] = []
        rest = None
        for child in below:
            if self.label[child] < 0:
                rest = made[child]
            else:
                text = self.columns[place].labels[level][self.label[child]]
                children.append({"labels": [text], "node": made[child]})
        return {"columns": [place], "levels": [level], "children": children, "rest": rest}

    def _specialised(self, node: int, tree: Tree | None) -> Tree:
        """All rows of a node had the same finer labels: only rows that have them belong there."""
        pairs = enumerate(zip(self.now[node], self.came[node], strict=True))
        finer = [place for place, (now, came) in pairs if now != came]
        levels = [self.now[node][place] for place in finer]
        child = {"labels": self._labels(node, finer, levels), "node": tree}
        return {"columns": finer, "levels": levels, "children": [child], "rest": None}

    def _labels(self, node: int, places: Sequence[int], levels: Sequence[int]) -> list[Label]:
        leaves = self.leaves[node]
        return [
            self.columns[place].labels[level][self.codes[place][level][leaves[place]]]
            for place, level in zip(places, levels, strict=True)
        ]
