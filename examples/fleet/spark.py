# SPDX-License-Identifier: BSD-3-Clause
"""The same questions asked of Spark, which distributes the dumps: each executor calls the library on its share of them.

    spark.py MANIFEST QUESTION...
    spark-submit --py-files fleet.py spark.py MANIFEST QUESTION...

Needs what fleet.py needs, and pyspark (PyPI) with a Java runtime.
"""

import os
import sys

import fleet
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema


def tables(batches):
    for batch in batches:
        for line in batch.column("value").to_pylist():
            yield from fleet.rows(line).to_batches()


def open_nodes(session, manifest):
    """The rows of all dumps as the view `nodes`."""
    lines = session.read.text(str(manifest)).repartition(session.sparkContext.defaultParallelism)
    schema = from_arrow_schema(fleet.rows(lines.first().value).schema)
    lines.mapInArrow(tables, schema).cache().createOrReplaceTempView("nodes")


def main():
    manifest, *names = sys.argv[1:] or sys.exit(__doc__)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # on this machine, the Python that has the packages
    session = SparkSession.builder.appName("etrecord-tb fleet").getOrCreate()
    open_nodes(session, manifest)
    for name in names:
        print(name)
        session.sql(fleet.question(name)).show(100, truncate=False)
    session.stop()


if __name__ == "__main__":
    main()
