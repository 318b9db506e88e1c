import type { BrowserContextOptions } from 'playwright-core';
import { type Found, newVisitor, type Visitor } from '../setup/browser.ts';
import type { Person } from './people.ts';

/** A browser in which a person is signed in. */
export async function browsingAs(person: Person, found: Found, options: BrowserContextOptions): Promise<Visitor> {
  if (!found.browser) throw new Error('no browser');
  const visitor = await newVisitor(found.browser, options);
  const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: person.url }));
  await visitor.context.addCookies(cookies);
  return visitor;
}
