"""python finding_code.py DOCUMENT: runs each block of Python code in a document, in a process of its own. Exit status 77 where ExecuTorch is not installed.

EXECUTORCH_PYTHON names a Python that has it.
"""
import os
import re
import subprocess
import sys


def main():
    python = os.environ.get("EXECUTORCH_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import executorch.exir"], capture_output=True).returncode:
        sys.exit(77)
    text, wrong = open(sys.argv[1], encoding="utf-8").read(), []
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
    for block in blocks:
        done = subprocess.run([python, "-c", block[1]], capture_output=True, text=True)
        if done.returncode:
            wrong.append(f"line {text[:block.start()].count(chr(10)) + 1}: {done.stderr.strip().splitlines()[-1]}")
    if wrong or not blocks:
        sys.exit("\n".join(wrong) or "no code")
    print(f"{len(blocks)} programs run")


if __name__ == "__main__":
    main()
