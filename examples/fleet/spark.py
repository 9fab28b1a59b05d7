# SPDX-License-Identifier: BSD-3-Clause
"""The same questions asked of Spark, which distributes the dumps: each executor calls the library on its share of them.

    spark.py MANIFEST QUESTION...
    spark-submit --py-files fleet.py spark.py MANIFEST QUESTION...

Needs what fleet.py needs, and pyspark (PyPI) with a Java runtime.
"""

import os
import sys

import fleet
import pyarrow
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

PROBLEM = pyarrow.field("problem", pyarrow.string())


def with_problem(answer, schema):
    """The rows of a dump with a null as `problem`, or one row with the problem."""
    if isinstance(answer, str):
        return pyarrow.table([pyarrow.nulls(1, field.type) for field in schema] + [pyarrow.array([answer])], schema=schema.append(PROBLEM))
    return answer.append_column(PROBLEM, pyarrow.nulls(answer.num_rows, PROBLEM.type))


def open_fleet(session, manifest, answer="nodes", by=None):
    """The rows of all dumps as the view `fleet`; the dumps that were left out as the view `problems`."""
    lines = fleet.read_manifest(manifest)
    tag_names = fleet.find_tag_names(lines)
    answers = (fleet.rows_or_problem(line, tag_names, answer, by) for line in lines)
    schema = next((answer.schema for answer in answers if not isinstance(answer, str)), None)
    if schema is None:
        sys.exit(f"{manifest}: no dump can be used; the first says: {fleet.rows_or_problem(lines[0], tag_names, answer, by) if lines else 'it is empty'}")

    def tables(batches):
        for batch in batches:
            for line in batch.column("value").to_pylist():
                yield from with_problem(fleet.rows_or_problem(line, tag_names, answer, by), schema).to_batches()

    parts = session.createDataFrame([(line,) for line in lines], "value string").repartition(session.sparkContext.defaultParallelism)
    rows = parts.mapInArrow(tables, from_arrow_schema(schema.append(PROBLEM))).cache()
    rows.where("problem is null").drop("problem").createOrReplaceTempView("fleet")
    rows.where("problem is not null").select("problem").createOrReplaceTempView("problems")


def main():
    manifest, *names = sys.argv[1:] or sys.exit(__doc__)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # on this machine, the Python that has the packages
    session = SparkSession.builder.appName("etrecord-tb fleet").getOrCreate()
    open_fleet(session, manifest)
    for name in names:
        print(name)
        session.sql(fleet.question(name)).show(100, truncate=False)
    session.stop()


if __name__ == "__main__":
    main()
