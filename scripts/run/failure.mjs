/** A failure whose message tells the reader what to do; a stack trace would only hide it. */
export function failure(...lines) {
  return Object.assign(new Error(lines.join('\n')), { expected: true });
}
