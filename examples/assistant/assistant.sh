#!/bin/sh
# An assistant for Reflexio's optimiser around any command that reads a prompt and prints an answer:
#   assistant_script_args = ["claude", "-p"]
# jq turns the payload into a prompt and the answer into JSON.
set -eu
[ "$#" -gt 0 ] || { echo "usage: assistant.sh COMMAND [ARGUMENT…]" >&2; exit 2; }

jq -r '
  "You are a helpful support agent. Answer the last message in a few sentences.",
  (if (.playbooks | length) > 0 then "\nFollow these playbooks:" else empty end),
  (.playbooks[] | "- " + .content + (if (.trigger // "") == "" then "" else " (when: " + .trigger + ")" end)),
  "",
  (.messages[] | "[" + .role + "]\n" + .content + "\n")
' | "$@" | jq -Rs '{content: rtrimstr("\n")}'
