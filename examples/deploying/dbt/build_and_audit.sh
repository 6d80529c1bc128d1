#!/bin/sh
# Build the models, run their tests, and audit the released table where dbt has put it. SQL carries
# k-anonymity (macros/test_k_anonymity.sql) and not the other measures, and neither tests nor hooks
# of dbt start programs, so the audit is a step behind dbt. Exit codes: those of dbt if it fails, else 0 all
# limits hold, 1 one is breached, 2 it could not be measured.
#
#   ./build_and_audit.sh "postgresql://auditor@db.example/analytics?table=marts.released" \
#       --qi zip,age --sensitive disease --k 5 --t 0.5
set -eu
dbt build
exec petaudit check "$@" --log-format json
