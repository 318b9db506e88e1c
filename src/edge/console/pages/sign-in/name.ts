const MAX_NAME = 100;

/** Returns the name of a person on one line; null when it is empty, too long or not printable. */
export function personName(text: string): string | null {
  const name = text.trim();
  return name !== '' && name.length <= MAX_NAME && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) ? name : null;
}
