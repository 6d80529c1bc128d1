"""petaudit under spark-submit, in a session with whatever spark-submit was told.

    python pack_workers.py environment.tar.gz
    spark-submit --archives environment.tar.gz#environment \\
        --conf spark.pyspark.driver.python=python3 \\
        --conf spark.pyspark.python=./environment/bin/python \\
        spark_job.py check s3a://bucket/released --qi zip,age --sensitive disease --k 5

The exit code of spark-submit is petaudit's, where the driver runs on this machine (client mode).
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from petaudit.cli import main

if __name__ == "__main__":
    # petaudit uses the session that is open, and changes no setting of it.
    session = SparkSession.builder.appName("petaudit").getOrCreate()
    try:
        code = main([*sys.argv[1:], "--engine", "spark"])
    finally:
        session.stop()
    sys.exit(code)
