"""The result of each check, in one line."""
import math


def percentile(values, share):
    """The smallest value that is at least as large as this share of all."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


class Report:
    def __init__(self, most=8):
        self.most, self.passed, self.failed = most, 0, 0

    def check(self, name, subject, problems, figures):
        """Prints a check and, if it failed, its first problems."""
        problems = list(problems)
        print(f"{'FAIL' if problems else 'ok  '}  {name} ({subject}): {figures}", flush=True)
        for problem in problems[:self.most]:
            print(f"        {problem}", flush=True)
        if len(problems) > self.most:
            print(f"        and {len(problems) - self.most} more", flush=True)
        self.failed += bool(problems)
        self.passed += not problems

    def skip(self, name, subject, reason):
        print(f"-     {name} ({subject}): {reason}", flush=True)
