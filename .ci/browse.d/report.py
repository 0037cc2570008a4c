"""The result of each check, in one line."""
import math, time


def percentile(values, share):
    """The smallest value that is at least as large as this share of all."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


class Report:
    def __init__(self, most=8):
        self.most, self.passed, self.failed = most, 0, 0
        self.last = time.monotonic()

    def _line(self, state, name, subject, text):
        """One line, with the time since the last one if it was more than a second."""
        now = time.monotonic()
        passed = f"; {now - self.last:.0f} s" if now - self.last > 1 else ""
        print(f"{state}  {name} ({subject}): {text}{passed}", flush=True)
        self.last = now

    def check(self, name, subject, problems, figures):
        """Prints a check and, if it failed, its first problems."""
        problems = list(problems)
        self._line("FAIL" if problems else "ok  ", name, subject, figures)
        for problem in problems[:self.most]:
            print(f"        {problem}", flush=True)
        if len(problems) > self.most:
            print(f"        and {len(problems) - self.most} more", flush=True)
        self.failed += bool(problems)
        self.passed += not problems

    def skip(self, name, subject, reason):
        self._line("-   ", name, subject, reason)
