"""The matrix in memory follows every change and ranks exactly."""

import numpy as np
import pytest

from hammerstone.storage.matrix import VectorMatrix


def rows(seed: int, count: int, start: int = 0):
    vectors = np.random.default_rng(seed).normal(size=(count, 16)).astype(np.float32)
    return [(f"k{start + n}", vector, n + 1) for n, vector in enumerate(vectors)]


def test_ranking_equals_the_plain_computation():
    given = rows(1, 300)
    matrix = VectorMatrix()
    matrix.take(given)
    wanted = np.random.default_rng(2).normal(size=16)
    cosines = {
        key: float(v @ wanted / np.linalg.norm(v) / np.linalg.norm(wanted)) for key, v, _ in given
    }
    best = sorted(cosines, key=lambda key: -cosines[key])
    found = matrix.nearest(wanted.tolist(), 7)
    assert [key for key, _ in found] == best[:7]
    assert [score for _, score in found] == pytest.approx([cosines[k] for k in best[:7]], abs=1e-5)


def test_changes_take_the_place_of_the_old():
    matrix = VectorMatrix()
    first = np.array([1, 0], dtype=np.float32)
    second = np.array([0, 1], dtype=np.float32)
    matrix.take([("a", first, 1), ("b", second, 2), ("b", first, 3)])
    matrix.take([("a", second, 7)])
    assert matrix.nearest([1.0, 0.0], 2) == [("b", 1.0), ("a", 0.0)]
    assert matrix.revision == 7
    assert matrix.keys == ["a", "b"]


def test_an_empty_matrix_finds_nothing():
    assert VectorMatrix().nearest([1.0], 5) == []
