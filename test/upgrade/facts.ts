import path from 'node:path';

/** What was in a DATA_DIR when its version last served it. */
export interface Facts {
  public_url: string;
  keys: { sandbox: string; live: string };
  team: string;
  live_team: string;
  /** Answers of GET, by environment and path. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the routes answered
  answers: { environment: 'sandbox' | 'live'; path: string; body: any }[];
  /** Rows of each table, by database. */
  counts: Record<'control' | 'sandbox' | 'live', Record<string, number>>;
}

/** The commit whose program made the data. */
export const MADE_BY = '889a742';

export const ARCHIVE = path.join(import.meta.dirname, `${MADE_BY}.data-dir.br`);
export const FACTS = 'facts.json';
