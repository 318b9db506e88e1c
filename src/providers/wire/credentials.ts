import { type TString, Type } from 'typebox';

// Shared by mtn-momo, orange-money and wave.

/** A credential as a connector asks for it. It goes into a header, so it may hold nothing that ends one. */
export function secret(description: string): TString {
  return Type.String({ description, pattern: '^[\\x21-\\x7e]{1,200}$' });
}
