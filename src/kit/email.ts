const MAX_EMAIL = 254;

/** Returns an e-mail address without the spaces around it; null when the text is not an address. */
export function emailAddressOf(text: string): string | null {
  const email = text.trim();
  const fits = email.length <= MAX_EMAIL && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)+$/u.test(email);
  return fits ? email : null;
}
