"""progress_test.py PROGRAM: the progress line of a long launch appears on a terminal, vanishes, and leaves other text alone.

PROGRAM (progress.cu) launches a kernel that ends when the program reads a line. So nothing here depends on time.
"""
import os
import pty
import select
import signal
import subprocess
import sys

PROGRAM = sys.argv[1]
# The line's text ends with these: clear the rest of the line, and go back to the saved place.
BACK = b"\x1b[K\x1b8"
TO_LINE_BELOW = b"\x1bD\x1bM\x1b7\r\x1b[B"
ERASED = TO_LINE_BELOW + BACK
DEADLINE = 120  # seconds; only a failure takes so long


class Run:
    """PROGRAM with its stderr, and its stdout and stdin if `all_streams`, on a terminal of its own."""

    def __init__(self, *arguments, all_streams=True, **environment):
        self.terminal, theirs = pty.openpty()
        env = dict(os.environ, SIMULATOR_HAZARDS="0", **environment)
        env.pop("SIMULATOR_REPORT", None)
        other = theirs if all_streams else subprocess.PIPE
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=other, stdout=other, stderr=theirs, env=env,
                                        start_new_session=True)
        os.close(theirs)
        self.text = b""

    def read_until(self, wanted):
        while wanted not in self.text:
            ready, _, _ = select.select([self.terminal], [], [], DEADLINE)
            assert ready, f"{wanted!r} does not come; there is {self.text!r}"
            try:
                more = os.read(self.terminal, 4096)
            except OSError:  # the program has ended
                more = b""
            assert more, f"the program ended before {wanted!r}; there is {self.text!r}"
            self.text += more

    def read_rest(self):
        while True:
            try:
                more = os.read(self.terminal, 4096)
            except OSError:
                break
            if not more:
                break
            self.text += more
        self.process.wait()
        return self.text


def shown(text):
    """What a reader sees in the end: the text without lines that were drawn and erased again."""
    while TO_LINE_BELOW in text:
        begin = text.index(TO_LINE_BELOW)
        text = text[:begin] + text[text.index(BACK, begin) + len(BACK):]
    return text


def test_the_line_appears_and_vanishes():
    run = Run(SIMULATOR_PROGRESS="0.05")
    run.read_until(b"simulated GPU: waits, launch 1: 0 of 1 blocks, 0 %")
    os.write(run.terminal, b"\n")
    text = run.read_rest()
    drawn, _, after = text.rpartition(ERASED)
    assert drawn, f"the line is not erased: {text!r}"
    assert TO_LINE_BELOW not in after, f"the line is drawn after the launch: {text!r}"
    assert b"no error" in after, text
    assert b"waits ... " in shown(text) and b"simulated GPU" not in shown(text), shown(text)


def test_text_from_the_device_comes_between():
    run = Run("prints", SIMULATOR_PROGRESS="0.05")
    run.read_until(b"launch 1: 0 of 1 blocks")
    os.write(run.terminal, b"\n")
    text = shown(run.read_rest())
    assert b"waits ... from the device\r\n" in text, text


def test_zero_switches_it_off():
    run = Run(SIMULATOR_PROGRESS="0")
    run.read_until(b"waits ... ")
    os.write(run.terminal, b"\n")
    assert b"simulated GPU" not in run.read_rest(), run.text


def test_another_word_is_refused():
    run = Run(SIMULATOR_PROGRESS="soon")
    run.read_until(b"SIMULATOR_PROGRESS is 'soon'; it must be a number of seconds")
    os.write(run.terminal, b"\n")
    run.read_rest()


def test_without_a_terminal_there_is_nothing():
    env = dict(os.environ, SIMULATOR_HAZARDS="0", SIMULATOR_PROGRESS="0.001")
    done = subprocess.run([PROGRAM], input=b"\n", capture_output=True, env=env, timeout=DEADLINE, check=True)
    assert done.stderr == b"" and done.stdout == b"waits ... no error\n", done


def test_an_interrupt_takes_the_line_away():
    run = Run(SIMULATOR_PROGRESS="0.05")
    run.read_until(b"launch 1: 0 of 1 blocks")
    run.process.send_signal(signal.SIGINT)
    text = run.read_rest()
    assert run.process.returncode == -signal.SIGINT, run.process.returncode
    assert text.endswith(ERASED), text


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name}: ok")
