#!/bin/sh
# Install what Spark needs and what is missing: Debian's Java 17. PySpark itself comes from the
# extra petaudit[spark]; "make spark" installs both.
#
#   scripts/install_spark.sh
set -eu

package=openjdk-17-jre-headless

# The first number of "17.0.15"; the old "1.8.0" is told apart by its 1.
version() {
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

is_new_enough() {
    found=$(version 2>/dev/null) && [ "${found:-0}" -ge 17 ]
}

if is_new_enough; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "install_spark.sh: there is no apt-get here; install by hand: Java 17 or newer" >&2
    exit 1
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    # A machine of CI lets everybody become root; on anybody's own machine nothing is done unasked.
    if [ -z "${CI:-}" ] || ! sudo -n true 2>/dev/null; then
        echo "install_spark.sh: only root can install: $package" >&2
        echo "install_spark.sh: run: sudo apt-get update && sudo apt-get install $package" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$package"
is_new_enough || {
    echo "install_spark.sh: java is still not 17 or newer; set JAVA_HOME to one that is" >&2
    exit 1
}
