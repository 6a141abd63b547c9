"""Rises and falls of costs, and their messages. Run: python3 Benchmarks/costs/comparison_test.py"""

import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import comparison  # noqa: E402
from comparison import (  # noqa: E402
    fall_message, fallen, is_traced, lowest, middle, place, rise_message, risen, text, unmeasured, without_calls)


def costs(**changed):
    return {"task": {"allocations": 600.0, "bytes": 400000, "system_calls": 60.0, "wakeups": 30.0, **changed}}


class Rises(unittest.TestCase):
    def counts(self, measured, kept=None):
        return [change.count for change in risen(kept or costs(), measured)]

    def test_the_same_costs(self):
        self.assertEqual(self.counts(costs()), [])

    def test_each_count_alone(self):
        for count, kept in costs()["task"].items():
            self.assertEqual(self.counts(costs(**{count: kept * 1.5})), [count])

    def test_the_allowance(self):
        self.assertEqual(self.counts(costs(allocations=618.2)), [])
        self.assertEqual(self.counts(costs(allocations=618.4)), ["allocations"])
        self.assertEqual(self.counts(costs(bytes=412000)), [])
        self.assertEqual(self.counts(costs(bytes=412049)), ["bytes"])
        self.assertEqual(self.counts(costs(system_calls=61.9)), [])
        self.assertEqual(self.counts(costs(system_calls=62.1)), ["system_calls"])

    def test_wakeups_have_a_larger_allowance(self):
        self.assertEqual(self.counts(costs(wakeups=39.9)), [])
        self.assertEqual(self.counts(costs(wakeups=40.1)), ["wakeups"])

    def test_one_more_call_or_allocation_of_a_cheap_operation(self):
        kept = {"healthz": {"allocations": 31.0, "system_calls": 1.0}}
        self.assertEqual(self.counts({"healthz": {"allocations": 31.1, "system_calls": 1.01}}, kept), [])
        self.assertEqual(
            self.counts({"healthz": {"allocations": 33.0, "system_calls": 2.0}}, kept), ["allocations", "system_calls"])

    def test_a_count_of_zero(self):
        kept = {"event": {"system_calls": 0.0}}
        self.assertEqual(self.counts({"event": {"system_calls": 0.1}}, kept), [])
        self.assertEqual(self.counts({"event": {"system_calls": 1.0}}, kept), ["system_calls"])

    def test_a_count_without_a_number(self):
        self.assertEqual(self.counts(costs(), {"task": {"allocations": 600.0}}), ["bytes", "system_calls", "wakeups"])
        self.assertEqual(len(self.counts(costs(), {"create": {}})), 4)

    def test_a_number_without_a_count(self):
        self.assertEqual(list(unmeasured(costs(), costs())), [])
        self.assertEqual(list(unmeasured({**costs(), "old": {"bytes": 1}}, costs())), [("old", "bytes")])

    def test_a_system_that_forbids_to_trace_leaves_the_other_counts(self):
        kept = {"task": {"allocations": 1, "bytes": 2, "system_calls": 3, "wakeups": 4}}
        measured = without_calls(kept)
        self.assertEqual(measured, {"task": {"allocations": 1, "bytes": 2}})
        self.assertTrue(is_traced(kept))
        self.assertFalse(is_traced(measured))
        self.assertEqual(list(unmeasured(without_calls(kept), measured)), [])


class Falls(unittest.TestCase):
    def counts(self, measured):
        return [change.count for change in fallen(costs(), measured)]

    def test_more_than_five_percent(self):
        self.assertEqual(self.counts(costs(allocations=569)), ["allocations"])
        self.assertEqual(self.counts(costs(allocations=571)), [])
        self.assertEqual(self.counts(costs()), [])

    def test_a_fall_within_the_noise(self):
        self.assertEqual(self.counts(costs(wakeups=23)), [])
        self.assertEqual(self.counts(costs(wakeups=20)), ["wakeups"])

    def test_a_rise_is_no_fall(self):
        self.assertEqual(self.counts(costs(allocations=1000)), [])


class Runs(unittest.TestCase):
    def test_one_high_run_of_several_is_no_rise(self):
        runs = [costs(allocations=900.0, bytes=500000), costs(wakeups=90.0), costs(bytes=500000)]
        self.assertEqual(lowest(runs), costs())
        self.assertEqual(list(risen(costs(), lowest(runs))), [])

    def test_a_rise_in_all_runs(self):
        runs = [costs(allocations=700.0), costs(allocations=690.0)]
        self.assertEqual([change.measured for change in risen(costs(), lowest(runs))], [690])

    def test_the_median(self):
        runs = [costs(wakeups=33.0), costs(wakeups=90.0), costs(wakeups=31.0)]
        self.assertEqual(middle(runs), costs(wakeups=33.0))


class Messages(unittest.TestCase):
    CONTENT = text({"create": {"bytes": 100}, "task": {"allocations": 600.04, "bytes": 400000.4}})

    def message(self, measured):
        (change,) = risen(json.loads(self.CONTENT), measured)
        return rise_message(change, self.CONTENT)

    def test_the_file_is_sorted_and_rounded(self):
        self.assertEqual(
            self.CONTENT,
            '{\n  "create": {\n    "bytes": 100\n  },\n'
            '  "task": {\n    "allocations": 600.0,\n    "bytes": 400000\n  }\n}\n')

    def test_the_line_of_a_number(self):
        for operation, count, line in (("create", "bytes", 3), ("task", "allocations", 6), ("task", "bytes", 7)):
            self.assertEqual(place(operation, count, self.CONTENT), f"{comparison.FILE}:{line}")
        self.assertEqual(place("create", "allocations", self.CONTENT), comparison.FILE)
        self.assertEqual(place("get", "bytes", "{}"), comparison.FILE)

    def test_a_rise_names_the_count_both_numbers_and_the_place(self):
        message = self.message({"task": {"bytes": 1440000}})
        self.assertIn("task: bytes rose from 400000 to 1440000, +260.0 %; 3 % and 48 are allowed", message)
        self.assertIn(f"write 1440000 at {comparison.FILE}:7", message)
        self.assertIn("give the reason in the commit message", message)

    def test_a_count_without_a_number(self):
        message = self.message({"task": {"wakeups": 30.5}})
        self.assertIn("task: wakeups is 30.5 and has no number in", message)
        self.assertIn("--update", message)

    def test_a_rise_from_zero(self):
        (change,) = risen({"event": {"wakeups": 0.0}}, {"event": {"wakeups": 2.0}})
        self.assertIn("rose from 0 to 2; 30 % and 1 are allowed", rise_message(change, "{}"))

    def test_a_fall(self):
        (change,) = fallen(json.loads(self.CONTENT), {"task": {"allocations": 300.0}})
        message = fall_message(change, self.CONTENT)
        self.assertIn("task: allocations fell from 600 to 300, -50.0 %", message)
        self.assertIn(f"lower the number at {comparison.FILE}:6", message)


class KeptNumbers(unittest.TestCase):
    def test_the_file_is_as_the_program_writes_it(self):
        content = (HERE / "costs.json").read_text()
        self.assertEqual(content, text(json.loads(content)))

    def test_each_operation_has_all_counts(self):
        for operation, counts in json.loads((HERE / "costs.json").read_text()).items():
            self.assertEqual(set(counts), set(comparison.ALLOWANCES), operation)


if __name__ == "__main__":
    unittest.main()
