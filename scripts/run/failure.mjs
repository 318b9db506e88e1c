/** Returns an error whose message states what to do. It has no stack trace, which would hide the message. */
export function failure(...lines) {
  return Object.assign(new Error(lines.join('\n')), { expected: true });
}
