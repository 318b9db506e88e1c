#!/bin/sh
# The `pirogue` command of the image, which has everything installed. Files and folders are relative to the caller's folder.
root=$(dirname "$(readlink -f "$0")")/../..
NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-/tmp/pirogue-compiled} exec node "$root/src/program/cli/main.ts" "$@"
