# SPDX-License-Identifier: BSD-3-Clause
"""Cases of a test, each in a folder of its own."""

import os
import sys
import tempfile


def run(cases, prepare, failure=AssertionError):
    """Calls each case with prepare(folder), says which fail and why, and ends the program. Other users may enter the folders."""
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            try:
                case(prepare(folder))
            except failure as reason:
                failed += 1
                print(f'OFF {case.__name__}: {reason}')
    print(f'{len(cases) - failed} passed, {failed} failed')
    sys.exit(failed > 0)
