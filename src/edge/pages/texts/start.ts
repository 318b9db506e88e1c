/** Texts of the start page. What only operators of this machine read is as short as it can be. */
export interface StartTexts {
  lead: string;
  /** Shown to those who open a service in development from elsewhere. */
  elsewhere: (address: string) => string;
  try: string;
  tryText: (amount: string) => string;
  button: string;
  numbers: (phone: string) => string;
  next: string;
  console: [name: string, holds: string];
  reference: [name: string, holds: string];
  document: [name: string, holds: string];
  health: [name: string, holds: string];
  guides: [name: string, holds: string];
  keys: string;
  keysText: string;
  publicKeys: string;
  language: string;
  expired: string;
  crossSite: string;
  busy: string;
  failed: string;
}
