"""A program started by a test and ended by its own process id."""

import signal
import subprocess

from .waiting import until


class Program:
    """A child process whose output goes to files in `folder`."""

    def __init__(self, name, command, folder, env=None, before_exec=None):
        self.output_path = folder / f"{name}.stdout"
        self.error_path = folder / f"{name}.stderr"
        with open(self.output_path, "ab") as output, open(self.error_path, "ab") as error:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=error,
                cwd=folder,
                env=env,
                preexec_fn=before_exec,
            )

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process.poll() is None

    def output(self):
        return self.output_path.read_text("utf-8", "replace")

    def errors(self):
        return self.error_path.read_text("utf-8", "replace")

    def wait_until(self, condition, what, seconds=10.0):
        """Like `until`, but gives up at once, with the program's own words, when the program has ended."""

        def check():
            if condition():
                return True
            assert self.running, f"{self.process.args[0]} ended with {self.process.returncode}: {self.errors()}"
            return False

        until(check, what, seconds)

    def send(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=10.0):
        """The exit code."""
        return self.process.wait(seconds)

    def stop(self, seconds=5.0):
        """Ends the program if it still runs: SIGTERM, and SIGKILL when that is not heeded in time."""
        if not self.running:
            return self.process.returncode
        self.send(signal.SIGTERM)
        try:
            return self.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.wait()
