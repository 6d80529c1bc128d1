#!/bin/sh
# Install what the browser tests need and what is missing: Debian's Chromium, and a font with
# Chinese characters, without which pictures and PDFs show boxes.
#
#   scripts/install_browser.sh
set -eu

missing=""
if ! command -v chromium >/dev/null 2>&1; then
    missing=" chromium"
fi
if ! fc-list :lang=zh-tw 2>/dev/null | grep -q .; then
    missing="$missing fontconfig fonts-noto-cjk"
fi
if [ -z "$missing" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "install_browser.sh: there is no apt-get here; install by hand:$missing" >&2
    exit 1
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    # A machine of CI lets everybody become root; on anybody's own machine nothing is done unasked.
    if [ -z "${CI:-}" ] || ! sudo -n true 2>/dev/null; then
        echo "install_browser.sh: only root can install:$missing" >&2
        echo "install_browser.sh: run: sudo apt-get update && sudo apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086 (one word for each package)
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends $missing
command -v chromium >/dev/null
