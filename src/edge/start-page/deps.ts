import type { PaymentDeps } from '../../core/payments/deps.ts';

export type StartPageDeps = Pick<PaymentDeps, 'config' | 'clock' | 'log' | 'secrets' | 'stores' | 'wake' | 'creators'>;

/** Data that a developer on this machine may see and use. */
export interface Demo {
  /** Absolute path of keys.json. */
  keys_file: string;
  team: string;
  /** Sandbox keys of the demo team. Test payments are created with the secret one, which is never sent to a browser. */
  sandbox: { public: string; secret: string };
}

/** Targets of the page's links in this installation. */
export interface StartPageOptions {
  /** Path or URL of the console; null when there is none. */
  console: string | null;
  /** Null in production, and in processes that were started without the demo team. */
  demo: Demo | null;
}
