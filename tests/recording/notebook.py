# SPDX-License-Identifier: BSD-3-Clause
"""Runs a notebook of examples in the working directory: notebook.py NOTEBOOK [OUT]. Prints what its cells show; with OUT, writes it with the outputs.

run.py starts it with the Python that has ExecuTorch. Without nbclient, ipykernel or timm it says so, and nothing is run.
"""

import importlib.util
import pathlib
import sys


def main():
    missing = [name for name in ("nbclient", "ipykernel", "timm") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {' and '.join(missing)} missing, with which the notebook is run")
        return
    import nbclient
    import nbformat

    notebook = nbformat.read(sys.argv[1], as_version=4)
    nbclient.NotebookClient(notebook, timeout=1500, kernel_name="python3").execute()
    if len(sys.argv) > 2:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        pathlib.Path(sys.argv[2]).write_text(nbformat.writes(notebook) + "\n")
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = [output["data"].get("text/html", "") for output in outputs if "data" in output]
    printed = "".join(output.get("text", "") for output in outputs if output.get("name") == "stdout")
    said = "".join(output.get("text", "") for output in outputs if output.get("name") == "stderr")
    print(printed)
    assert len(shown) == 2 and all("<table>" in html and len(html) <= 4000 for html in shown), shown
    lines = printed.splitlines()
    assert "conv_dw" in printed and lines[-3].startswith("-") and "convnext.py" in lines[-3], printed  # 7 x 7 against 3 x 3
    progress = said[said.find("etrecord-tb:"):].splitlines()  # what comes before is said by the import of timm
    assert progress and all(line.startswith("etrecord-tb:") for line in progress), said[:2000]  # no warning of torch's


if __name__ == "__main__":
    main()
