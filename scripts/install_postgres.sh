#!/bin/sh
# Install what the tests of databases need and what is missing: Debian's PostgreSQL. The tests
# start a server of their own, so the one that Debian would run is not started.
#
#   scripts/install_postgres.sh
set -eu

found() {
    command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
}

if found; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "install_postgres.sh: there is no apt-get here; install by hand: postgresql" >&2
    exit 1
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    # A machine of CI lets everybody become root; on anybody's own machine nothing is done unasked.
    if [ -z "${CI:-}" ] || ! sudo -n true 2>/dev/null; then
        echo "install_postgres.sh: only root can install: postgresql" >&2
        echo "install_postgres.sh: run: sudo apt-get update && sudo apt-get install postgresql" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends postgresql-common
# Before the server's package comes: otherwise Debian makes a cluster and starts it.
if [ -f /etc/postgresql-common/createcluster.conf ]; then
    $as_root sed -i 's/^#\{0,1\}create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
fi
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends postgresql
found
