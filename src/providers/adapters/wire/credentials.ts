import { type TString, Type } from 'typebox';

// Shared by every adapter but pawapay, whose credentials have other forms.

/**
 * Returns the schema of one credential. It is sent in a header, so only visible ASCII is accepted, 200 characters at
 * most.
 */
export function secret(description: string): TString {
  return Type.String({ description, pattern: '^[\\x21-\\x7e]{1,200}$' });
}
