"""Tests plots/labels.py: the places of labels in a column."""

import random
import unittest

import runs  # noqa: F401  (puts plots/ on the path)
from plots import labels


class Spread(unittest.TestCase):
    def assert_places(self, wanted, gap, low, high):
        places = labels.spread(wanted, gap, low, high)
        self.assertEqual(len(places), len(wanted))
        by_wish = [place for _, place in sorted(zip(wanted, places))]
        for a, b in zip(by_wish, by_wish[1:]):
            self.assertGreaterEqual(b - a, gap - 1e-6)
        for place in places:
            self.assertTrue(low - 1e-6 <= place <= high + 1e-6, place)
        return places

    def test_leaves_where_it_is_what_has_room(self):
        self.assertEqual(labels.spread([10, 50, 30], 15, 0, 100), [10, 50, 30])
        self.assertEqual(labels.spread([], 15, 0, 100), [])
        self.assertEqual(labels.spread([7], 15, 0, 100), [7])

    def test_neighbours_move_apart_evenly(self):
        self.assertEqual(labels.spread([50, 50], 10, 0, 100), [45, 55])
        self.assertEqual(labels.spread([50, 52, 90], 10, 0, 100), [46, 56, 90])

    def test_stays_within_the_column(self):
        self.assertEqual(self.assert_places([0, 0, 0], 10, 5, 100), [5, 15, 25])
        self.assertEqual(self.assert_places([300, -300], 10, 5, 100), [100, 5])

    def test_a_column_may_be_full(self):
        self.assertEqual(self.assert_places([90, 90, 90], 10, 0, 20), [0, 10, 20])
        with self.assertRaises(ValueError):
            labels.spread([90, 90, 90], 10, 0, 19)

    def test_any_labels(self):
        dice = random.Random(1)
        for _ in range(300):
            wanted = [dice.choice((dice.uniform(-20, 120), 50, 95)) for _ in range(dice.randint(1, 30))]
            self.assert_places(wanted, 3, 0, 100)


if __name__ == "__main__":
    unittest.main()
