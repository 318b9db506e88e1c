import type { Command } from 'commander';
import { openApi } from '../api.ts';
import type { ApiOptions } from '../api-options.ts';
import { moneyText } from '../format.ts';
import { details, print } from '../output.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { readAmount } from '../in-store.ts';
import { openInBrowser } from './browser.ts';

interface CreateOptions extends ApiOptions {
  amount: string;
  currency: string;
  email?: string;
  phone?: string;
  reference?: string;
  description?: string;
  open?: true;
  json?: true;
}

/** `pirogue payments create --amount 5000 --currency XAF --email a@b.example --open` */
export async function createPaymentCommand(options: CreateOptions, command: Command): Promise<void> {
  const { currency, email, phone, reference, description } = options;
  if (!email && !phone) command.error('error: give the payer with --email or --phone');
  const amount = wireFromMinor(readAmount(options.amount));
  const { transaction, authorization_url } = (
    await openApi(options).call('POST', '/payments', { amount, currency, email, phone, reference, description })
  ).body;
  const opened = options.open ? await openInBrowser(authorization_url) : false;
  print(options.json, { ...transaction, authorization_url, opened }, () =>
    details({
      payment: transaction.id,
      amount: moneyText(transaction.amount as number, transaction.currency),
      status: transaction.status,
      page: authorization_url,
    }),
  );
  if (options.open && !opened) console.error('no browser could be opened: open the page yourself');
}
