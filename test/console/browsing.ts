import type { BrowserContextOptions } from 'playwright-core';
import { type Found, newVisitor, type Visitor } from '../setup/browser.ts';
import type { Person } from './people.ts';

/** How a page is looked at: desktop and phone, light and dark, in both languages. */
export const LOOKS = [
  { ending: '', width: 1280, colorScheme: 'light', locale: 'en-GB' },
  { ending: '-dark', width: 1280, colorScheme: 'dark', locale: 'fr-CM' },
  { ending: '-360', width: 360, colorScheme: 'light', locale: 'fr-CM' },
  { ending: '-360-dark', width: 360, colorScheme: 'dark', locale: 'en-GB' },
] as const;

/** A browser in which a person is signed in. */
export async function browsingAs(person: Person, found: Found, options: BrowserContextOptions): Promise<Visitor> {
  if (!found.browser) throw new Error('no browser');
  const visitor = await newVisitor(found.browser, options);
  const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: person.url }));
  await visitor.context.addCookies(cookies);
  return visitor;
}
