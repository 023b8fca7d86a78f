#!/bin/sh
# Checks that My Bot keeps to the protocol.
set -e
cd "$(dirname "$0")"
{build}
referee {conform} {bot}
